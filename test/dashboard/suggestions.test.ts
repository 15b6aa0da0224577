/** Suggestions for allow-lists: never more than what was accepted, and never what is listed already. */
import { expect, it } from 'vitest';
import { type Source, suggestionsFor } from '../../src/dashboard/key/sources/suggestions.ts';

const at = '2030-01-01T00:00:00.000Z';
const source = (address: string, code: Source['counts'][number]['code'] = 'VALID'): Source => ({
  address,
  secret: 'CURRENT',
  firstAt: at,
  lastAt: at,
  counts: [{ code, count: 1 }],
  acceptedByDay: [],
  rejectedByDay: [],
});

it('suggests the network of several addresses, and a single address as it is', () => {
  const sources = ['192.0.2.9', '203.0.113.1', '192.0.2.1', '2001:db8::1', '2001:db8::2:1', '2001:db8:0:1::1'].map(
    (address) => source(address),
  );
  expect(suggestionsFor(sources, [])).toEqual([
    { entry: '192.0.2.0/24', addresses: 2 },
    { entry: '203.0.113.1', addresses: 1 },
    { entry: '2001:db8::/64', addresses: 2 },
    { entry: '2001:db8:0:1::1', addresses: 1 },
  ]);
});

it('counts an address once that used two secrets of the key', () => {
  const sources: Source[] = [source('192.0.2.1'), { ...source('192.0.2.1'), secret: 'PREVIOUS' }];
  expect(suggestionsFor(sources, [])).toEqual([{ entry: '192.0.2.1', addresses: 1 }]);
});

it('does not suggest an address of which every request was rejected, nor its network', () => {
  const sources = [source('192.0.2.1'), source('192.0.2.66', 'SOURCE_NOT_ALLOWED'), source('10.0.0.1', 'EXPIRED')];
  expect(suggestionsFor(sources, [])).toEqual([{ entry: '192.0.2.1', addresses: 1 }]);
});

it('does not suggest what the list allows already, and ignores lines that are not valid', () => {
  const sources = [source('192.0.2.1'), source('10.1.2.3'), source('203.0.113.1')];
  expect(suggestionsFor(sources, ['10.0.0.0/8 # ours', '192.0.2.1', 'not a source', 'vpn.example.com'])).toEqual([
    { entry: '203.0.113.1', addresses: 1 },
  ]);
});
