/** The editor of allowed sources: lines in, entries and problems out. */
import { expect, it } from 'vitest';
import { problemsOf, sourcesIn } from '../../src/dashboard/key-settings/allowed-sources.ts';

it('keeps comments and order, and takes empty lines for nothing', () => {
  expect(sourcesIn(' 10.0.0.0/8  # our network\n\n\texample.com\r\n')).toEqual([
    '10.0.0.0/8  # our network',
    'example.com',
  ]);
  expect(problemsOf('')).toEqual([]);
});

it('names the line that is wrong as people count, with the server’s own words', () => {
  expect(problemsOf('10.0.0.1\n\n10.0.0.1/8\n# only a comment')).toEqual([
    { line: 3, message: 'must have no bits set behind the prefix: the network is 10.0.0.0/8' },
    { line: 4, message: 'must be an IP address, a CIDR range or a host name' },
  ]);
});

it('names the first line above the limit', () => {
  const lines = Array.from({ length: 102 }, (_, index) => `10.0.0.${index}`);
  expect(problemsOf(lines.slice(0, 100).join('\n'))).toEqual([]);
  expect(problemsOf(lines.join('\n'))).toEqual([{ line: 101, message: 'there may be at most 100 sources' }]);
});
