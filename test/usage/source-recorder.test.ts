/** Observed sources in memory: what is written, what is kept, and what is dropped. */
import { describe, expect, it } from 'vitest';
import { parseIpAddress } from '../../src/domain/source/ip-address.ts';
import { SourceRecorder } from '../../src/usage/source-recorder.ts';
import type { SourceRecord } from '../../src/wire/control-plane.ts';

const key = (id: string, presentedVersion = 1) => ({ id, teamId: 'team', presentedVersion });

function address(text: string) {
  const parsed = parseIpAddress(text);
  if (parsed === null) throw new Error(`${text} is not an address`);
  return parsed;
}

/** A recorder over a list, which fails as long as `fails` is true. */
function start() {
  const written: SourceRecord[] = [];
  const state = { fails: false };
  const recorder = new SourceRecorder(
    {
      addSources: async (records) => {
        if (state.fails) throw new Error('the store does not answer');
        written.push(...records);
      },
    },
    () => undefined,
  );
  return { recorder, written, state };
}

const total = (records: readonly SourceRecord[]) =>
  records.flatMap(({ counts }) => counts).reduce((sum, { count }) => sum + count, 0);

describe('a recorder of sources', () => {
  it('writes one record for each address and secret, with first and last use and counts per verdict', async () => {
    const { recorder, written } = start();
    recorder.record(key('a'), address('10.0.0.1'), 'VALID', 1000);
    recorder.record(key('a'), address('::ffff:10.0.0.1'), 'EXPIRED', 2000);
    recorder.record(key('a'), address('10.0.0.1'), 'VALID', 3000);
    recorder.record(key('a', 2), address('10.0.0.1'), 'VALID', 4000);
    recorder.record(key('a'), address('::a00:1'), 'VALID', 5000);
    await recorder.close();
    const record = (version: number, address: string, first: number, last: number, counts: object) => ({
      keyId: 'a',
      version,
      address,
      firstAt: new Date(first),
      lastAt: new Date(last),
      counts: Object.entries(counts).map(([code, count]) => ({ code, count })),
    });
    expect(written).toEqual([
      record(1, '10.0.0.1', 1000, 3000, { EXPIRED: 1, VALID: 2 }),
      record(1, '::a00:1', 5000, 5000, { VALID: 1 }),
      record(2, '10.0.0.1', 4000, 4000, { VALID: 1 }),
    ]);
    expect([recorder.waiting, recorder.dropped]).toEqual([0, 0]);
  });

  it('keeps the 100 addresses of a secret that were seen last, adds up the others, and spares other secrets', async () => {
    const { recorder, written } = start();
    recorder.record(key('other'), address('10.9.9.9'), 'VALID', 1);
    recorder.record(key('flooded', 2), address('10.9.9.9'), 'VALID', 1);
    for (let i = 0; i < 10_000; i += 1) {
      recorder.record(key('flooded'), { family: 4, value: BigInt(i) }, 'VALID', 1000 + i);
      // Seen again and again, so it stays.
      recorder.record(key('flooded'), address('10.0.0.1'), 'VALID', 1000 + i);
      expect(recorder.waiting).toBeLessThanOrEqual(103);
    }
    await recorder.close();
    const flooded = written.filter(({ keyId, version }) => keyId === 'flooded' && version === 1);
    const of = (text: string) => flooded.find((record) => record.address === text);
    expect(flooded).toHaveLength(101);
    expect(of('10.0.0.1')?.counts).toEqual([{ code: 'VALID', count: 10_000 }]);
    expect(of('::')).toMatchObject({
      firstAt: new Date(1000),
      lastAt: new Date(1000 + 9900),
      counts: [{ code: 'VALID', count: 10_000 - 99 }],
    });
    expect(written).toHaveLength(103);
    expect(recorder.dropped).toBe(10_000 - 99);
    expect(total(written)).toBe(20_002);
  });

  it('a team with 2,600 keys and 20 addresses of each stops no other team’s recording, and its lists say what they lack', async () => {
    const { recorder, written } = start();
    const use = (teamId: string, id: string, address: number) =>
      recorder.record({ ...key(id), teamId }, { family: 4, value: BigInt(address) }, 'VALID', address);
    for (let i = 0; i < 2600; i += 1) for (let one = 1; one <= 20; one += 1) use('large', `large ${i}`, one);
    for (let i = 0; i < 100; i += 1) for (let one = 1; one <= 20; one += 1) use(`team ${i}`, `key ${i}`, one);
    await recorder.close();
    const ofTeam = (team: string) => written.filter(({ keyId }) => keyId.startsWith(team));
    expect(ofTeam('key ')).toHaveLength(2000);
    const large = ofTeam('large');
    const isUnlisted = ({ address }: SourceRecord) => address === '::';
    expect(large.filter((record) => !isUnlisted(record))).toHaveLength(25_000);
    expect(large.filter(isUnlisted)).toHaveLength(1350);
    expect(total(large)).toBe(52_000);
    expect(recorder.dropped).toBe(27_000);
  });

  it('keeps a limited number of addresses of all teams together, of which each team that comes later gets a share', async () => {
    const { recorder, written } = start();
    for (let team = 0; team < 20; team += 1)
      for (let i = 0; i < 5000; i += 1)
        recorder.record({ ...key(`${team} ${i}`), teamId: `${team}` }, address('10.0.0.1'), 'VALID', i);
    expect(recorder.waiting).toBeLessThanOrEqual(75_000);
    await recorder.close();
    const listed = (team: number) =>
      written.filter(({ keyId, address }) => keyId.startsWith(`${team} `) && address !== '::').length;
    expect(written.filter(({ address }) => address !== '::').length).toBeLessThan(50_000);
    for (let team = 0; team < 20; team += 1) expect(listed(team)).toBeGreaterThan(0);
  });

  it('keeps what could not be written, and adds what it saw in the meantime', async () => {
    const { recorder, written, state } = start();
    state.fails = true;
    recorder.record(key('a'), address('10.0.0.1'), 'VALID', 1000);
    recorder.record(key('a'), address('10.0.0.2'), 'VALID', 1000);
    await recorder.flush();
    expect([recorder.failures, recorder.waiting]).toEqual([1, 2]);
    const failed = recorder.flush();
    recorder.record(key('a'), address('10.0.0.1'), 'EXPIRED', 2000);
    await failed;
    state.fails = false;
    await recorder.close();
    expect(written.map(({ address, firstAt, lastAt, counts }) => [address, +firstAt, +lastAt, counts])).toEqual([
      [
        '10.0.0.1',
        1000,
        2000,
        [
          { code: 'EXPIRED', count: 1 },
          { code: 'VALID', count: 1 },
        ],
      ],
      ['10.0.0.2', 1000, 1000, [{ code: 'VALID', count: 1 }]],
    ]);
    expect(recorder.dropped).toBe(0);
  });
});
