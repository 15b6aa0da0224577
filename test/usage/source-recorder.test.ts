/** Observed sources in memory: what is written, what is kept, and what is dropped. */
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../src/domain/control-plane.ts';
import { parseIpAddress } from '../../src/domain/ip-address.ts';
import { SourceRecorder } from '../../src/usage/source-recorder.ts';

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

  it('keeps the 20 addresses of a secret that were seen last, counts the dropped ones, and spares other secrets', async () => {
    const { recorder, written } = start();
    recorder.record(key('other'), address('10.9.9.9'), 'VALID', 1);
    recorder.record(key('flooded', 2), address('10.9.9.9'), 'VALID', 1);
    for (let i = 0; i < 10_000; i += 1) {
      recorder.record(key('flooded'), { family: 4, value: BigInt(i) }, 'VALID', 1000 + i);
      // Seen again and again, so it stays.
      recorder.record(key('flooded'), address('10.0.0.1'), 'VALID', 1000 + i);
      expect(recorder.waiting).toBeLessThanOrEqual(22);
    }
    await recorder.close();
    const flooded = written.filter(({ keyId, version }) => keyId === 'flooded' && version === 1);
    expect(flooded).toHaveLength(20);
    expect(flooded.find((record) => record.address === '10.0.0.1')?.counts).toEqual([{ code: 'VALID', count: 10_000 }]);
    expect(written).toHaveLength(22);
    expect(recorder.dropped).toBe(10_000 - 19);
    expect(total(written) + recorder.dropped).toBe(20_002);
  });

  it('keeps a limited number of addresses of all keys together, and counts what it drops', async () => {
    const { recorder, written } = start();
    for (let i = 0; i < 50_010; i += 1) recorder.record(key(`key ${i}`), address('10.0.0.1'), 'VALID', i);
    expect([recorder.waiting, recorder.dropped]).toEqual([50_000, 10]);
    await recorder.close();
    expect(written).toHaveLength(50_000);
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
