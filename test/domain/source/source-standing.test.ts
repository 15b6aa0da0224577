import { expect, test } from 'vitest';
import { type IpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';
import { sourceStanding } from '../../../src/domain/source/source-standing.ts';

function ip(text: string): IpAddress {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

const known: Readonly<Record<string, readonly string[]>> = {
  'gate.example': ['192.0.2.1', '2001:db8::1'],
  'other.example': ['192.0.2.2'],
};

async function standing(allowedIps: readonly string[], source: string | undefined) {
  const asked: string[] = [];
  const result = await sourceStanding(allowedIps, source === undefined ? undefined : ip(source), async (host) => {
    asked.push(host);
    return (known[host] ?? []).map(ip);
  });
  return { ...result, asked };
}

test('without an allow-list the source can be unknown; with one, an unknown source is reported as such', async () => {
  for (const source of [undefined, '192.0.2.1']) {
    expect(await standing([], source)).toEqual({ kind: 'unrestricted', asked: [] });
  }
  expect(await standing(['gate.example'], undefined)).toEqual({ kind: 'unknown', asked: [] });
});

test('the first entry that allows a source is returned as it was written', async () => {
  const list = ['10.0.0.0/8 # first', '10.1.0.0/16', 'Gate.Example. # the gate', 'gate.example'];
  expect(await standing(list, '10.1.2.3')).toMatchObject({ kind: 'listed', entry: '10.0.0.0/8 # first' });
  for (const source of ['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1']) {
    expect(await standing(list, source)).toMatchObject({ kind: 'listed', entry: 'Gate.Example. # the gate' });
  }
});

test('host names are resolved where nothing matches literally, each once, and only then', async () => {
  const list = ['gate.example', 'GATE.example', 'other.example', 'gone.example', '192.0.2.9'];
  expect((await standing(list, '192.0.2.9')).asked).toEqual([]);
  expect(await standing(list, '203.0.113.1')).toEqual({
    kind: 'unlisted',
    source: ip('203.0.113.1'),
    hosts: [
      { host: 'gate.example', hasAddresses: true },
      { host: 'other.example', hasAddresses: true },
      { host: 'gone.example', hasAddresses: false },
    ],
    asked: ['gate.example', 'other.example', 'gone.example'],
  });
});

test('an invalid stored entry allows no source, and the key stays restricted', async () => {
  expect(await standing(['*', 'not valid either!'], '192.0.2.1')).toMatchObject({ kind: 'unlisted', hosts: [] });
});
