// SECURITY.md: Addresses of clients; Bytes from outside
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import type { Store } from '../../src/store/store.ts';
import { SourceRecorder } from '../../src/usage/source-recorder.ts';
import type { SourceRecord } from '../../src/wire/control-plane.ts';
import { providers } from '../support/databases.ts';
import { blockOf } from '../support/documents.ts';
import { inTests } from '../support/in-tests.ts';
import { openStores } from '../support/stores.ts';

const noon = Date.parse('2026-06-01T12:00:00Z');
const at = (seconds: number) => new Date(noon + 1000 * seconds);

const seen = (
  keyId: string,
  address: string,
  seconds: number,
  { version = 1, code = 'VALID' as VerdictCode, count = 1 } = {},
): SourceRecord => ({
  keyId,
  version,
  address,
  firstAt: at(seconds),
  lastAt: at(seconds),
  counts: [{ code, count }],
});
const teamId = randomUUID();
const add = async (store: Store, records: readonly SourceRecord[]) =>
  await store.observedSources.add(
    records.map((record) => ({ ...record, teamId })),
    at(0),
  );
const addresses = (count: number, subnet = 0) => Array.from({ length: count }, (_, i) => `10.0.${subnet}.${i}`);

describe.each(providers)('on %s', (provider) => {
  const stores = inTests(() => openStores(provider));

  it('adds up the counts of an address, and keeps its first and its last time in whatever order they arrive', async () => {
    const keyId = randomUUID();
    await add(stores.store, [seen(keyId, '10.0.0.1', 10), seen(keyId, '10.0.0.2', 20)]);
    // Edges can send records of one address at the same time.
    const count = 1_500_000_000;
    await add(
      stores.other,
      [7, 5].map((seconds) => seen(keyId, '10.0.0.1', seconds, { count })),
    );
    await add(stores.store, [seen(keyId, '10.0.0.1', 30, { code: 'EXPIRED' })]);
    await add(stores.other, [seen(keyId, '10.0.0.1', 40, { version: 2 })]);
    const { listed, unlisted } = await stores.store.observedSources.list(keyId, 2);
    expect(unlisted).toEqual([]);
    const source = (address: string, secret: string, first: number, last: number, counts: object) => ({
      keyId,
      address,
      secret,
      firstAt: at(first),
      lastAt: at(last),
      counts: expect.toSatisfy(
        (found: { code: string; count: number }[]) =>
          JSON.stringify(Object.fromEntries(found.map(({ code, count }) => [code, count]).sort())) ===
          JSON.stringify(counts),
      ),
    });
    expect(listed).toEqual([
      source('10.0.0.1', 'CURRENT', 40, 40, { VALID: 1 }),
      source('10.0.0.1', 'PREVIOUS', 5, 30, { EXPIRED: 1, VALID: 3_000_000_001 }),
      source('10.0.0.2', 'PREVIOUS', 20, 20, { VALID: 1 }),
    ]);
  });

  it('the statements of the documents delete an address, and no other', async () => {
    const keyId = randomUUID();
    await add(stores.store, [seen(keyId, '10.0.0.1', 10), seen(keyId, '10.0.0.2', 20)]);
    const statements = blockOf('docs/tasks/operations.md', 'Personal data').replaceAll('…', '10.0.0.1').trim();
    await stores.store.changes.housekeep(async (transaction) => {
      for (const statement of statements.split('\n')) await transaction.$executeRawUnsafe(statement);
    });
    expect([...((await stores.store.observedSources.days([keyId], at(-86_400))).get(keyId) ?? []).keys()]).toEqual([
      '10.0.0.2',
    ]);
    expect((await stores.store.observedSources.list(keyId, 1)).listed.map(({ address }) => address)).toEqual([
      '10.0.0.2',
    ]);
  });

  it('counts what was accepted and rejected from an address on each day, and for each key of the team', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const address = `10.1.0.${Math.floor(Math.random() * 256)}`;
    const nextDay = 13 * 3600;
    await add(stores.store, [seen(one, address, 10), seen(one, address, 20, { code: 'EXPIRED', count: 2 })]);
    await add(stores.other, [
      seen(one, address, nextDay, { version: 2 }),
      seen(other, address, 5, { code: 'REVOKED' }),
    ]);
    await add(stores.store, [seen(one, '10.2.0.1', 10)]);
    const days = await stores.store.observedSources.days([one, other], at(-86_400));
    const [june1, june2] = ['2026-06-01', '2026-06-02'].map((day) => Date.parse(day));
    expect(days.get(one)?.get(address)).toEqual(
      new Map([
        [june1, { accepted: 1, rejected: 2 }],
        [june2, { accepted: 1, rejected: 0 }],
      ]),
    );
    expect(days.get(other)).toEqual(new Map([[address, new Map([[june1, { accepted: 0, rejected: 1 }]])]]));
    expect((await stores.store.observedSources.days([one], at(nextDay - 3600))).get(one)?.size).toBe(1);
    const uses = await stores.store.observedSources.ofAddress(teamId, address);
    expect(uses[0]).toEqual({ keyId: one, accepted: 1, rejected: 0, firstAt: at(nextDay), lastAt: at(nextDay) });
    expect(
      uses
        .slice(1)
        .map(({ keyId }) => keyId)
        .sort(),
    ).toEqual([one, other].sort());
    expect(await stores.store.observedSources.ofAddress(randomUUID(), address)).toEqual([]);
  });

  it('keeps the days of at most the addresses that it lists, and none of a wrong clock', async () => {
    const keyId = randomUUID();
    const count = async () => {
      let rows = 0;
      await stores.store.changes.housekeep(async (transaction) => {
        rows = await transaction.sourceDay.count({ where: { keyId } });
      });
      return rows;
    };
    await add(
      stores.store,
      [-40, 3, 3000].map((days) => seen(keyId, '10.8.8.8', days * 86_400)),
    );
    expect(await count()).toBe(0);
    for (let subnet = 0; subnet < 5; subnet += 1)
      await add(
        stores.store,
        addresses(100, subnet).map((one, i) => seen(keyId, one, 100 * subnet + i)),
      );
    const { listed } = await stores.store.observedSources.list(keyId, 1);
    const days = (await stores.store.observedSources.days([keyId], at(-86_400))).get(keyId);
    expect([...(days?.keys() ?? [])].sort()).toEqual(
      listed.flatMap(({ address }) => (address === '10.8.8.8' ? [] : [address])).sort(),
    );
    expect(await count()).toBe(days?.size);
    // An address stays if another secret still lists it.
    await add(
      stores.store,
      addresses(100, 4).map((one, i) => seen(keyId, one, 1000 + i, { version: 2 })),
    );
    await add(
      stores.store,
      addresses(100, 5).map((one, i) => seen(keyId, one, 2000 + i)),
    );
    expect((await stores.store.observedSources.days([keyId], at(-86_400))).get(keyId)?.has('10.0.4.7')).toBe(true);
    await stores.store.purge.sourceDays(at(86_400));
    expect(await count()).toBe(0);
  });

  it('forgets addresses that were not seen since a time', async () => {
    const keyId = randomUUID();
    await add(stores.store, [seen(keyId, '10.0.0.1', 10), seen(keyId, '10.0.0.2', 20)]);
    await stores.store.purge.observedSources(at(20));
    expect((await stores.store.observedSources.list(keyId, 1)).listed.map(({ address }) => address)).toEqual([
      '10.0.0.2',
    ]);
  });
});

describe.each(providers)('beyond the limits, on %s', (provider) => {
  const stores = inTests(() => openStores(provider));

  it('10,000 addresses of one secret leave the 100 that were seen last, say so, and leave every other secret as it was', async () => {
    const [flooded, bystander] = [randomUUID(), randomUUID()];
    await add(stores.store, [seen(bystander, '10.9.9.9', 0), seen(flooded, '10.9.9.9', 0, { version: 2 })]);
    const recorder = new SourceRecorder({ addSources: (records) => add(stores.store, records) }, () => undefined);
    const key = { id: flooded, teamId: randomUUID(), presentedVersion: 1 };
    for (let i = 0; i < 10_000; i += 1) {
      recorder.record(key, { family: 4, value: BigInt(i) }, 'VALID', noon + i);
      if (i % 1000 === 0) await recorder.flush();
    }
    await recorder.close();
    const { listed, unlisted } = await stores.store.observedSources.list(flooded, 2);
    const expected = Array.from({ length: 100 }, (_, i) => noon + 9999 - i);
    expect(listed.filter(({ secret }) => secret === 'PREVIOUS').map(({ lastAt }) => lastAt.getTime())).toEqual(
      expected,
    );
    expect(listed).toHaveLength(101);
    expect(unlisted).toEqual([
      { secret: 'PREVIOUS', firstAt: at(0), lastAt: new Date(noon + 9899), counts: [{ code: 'VALID', count: 9900 }] },
    ]);
    expect(await stores.store.observedSources.list(bystander, 1)).toMatchObject({ listed: [{}], unlisted: [] });
  });

  it('a list of 100 addresses is complete, and one address more makes it say what it does not list', async () => {
    const keyId = randomUUID();
    await add(
      stores.store,
      addresses(100).map((one, i) => seen(keyId, one, i)),
    );
    expect((await stores.store.observedSources.list(keyId, 1)).unlisted).toEqual([]);
    await add(stores.store, [seen(keyId, '10.9.9.9', 1000, { code: 'EXPIRED' })]);
    await add(stores.store, [seen(keyId, '10.9.9.8', 1001, { code: 'EXPIRED' })]);
    const { listed, unlisted } = await stores.store.observedSources.list(keyId, 1);
    expect(listed.map(({ address }) => address).slice(0, 3)).toEqual(['10.9.9.8', '10.9.9.9', '10.0.0.99']);
    expect(listed).toHaveLength(100);
    expect(unlisted).toEqual([
      { secret: 'CURRENT', firstAt: at(0), lastAt: at(1), counts: [{ code: 'VALID', count: 2 }] },
    ]);
  });

  it('two instances that write different addresses at the same time leave 100 together, lose no count, and do not fail', async () => {
    const keyIds = Array.from({ length: 10 }, () => randomUUID());
    const write = (into: Store, subnet: number) => {
      const records = keyIds.flatMap((keyId) => addresses(20, subnet).map((one, i) => seen(keyId, one, subnet + i)));
      return add(into, subnet % 2 === 0 ? records : records.toReversed());
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => write(i % 2 === 0 ? stores.store : stores.other, i)));
    for (const keyId of keyIds) {
      const { listed, unlisted } = await stores.store.observedSources.list(keyId, 1);
      expect(listed).toHaveLength(100);
      expect(unlisted.map(({ counts }) => counts)).toEqual([[{ code: 'VALID', count: 300 }]]);
    }
  });

  it('a key that was rotated often has at most 200 addresses of all its secrets, those that were seen last', async () => {
    const keyId = randomUUID();
    const [versions, perVersion] = [30, 20];
    for (let version = 1; version <= versions; version += 1)
      await add(
        stores.store,
        addresses(perVersion, version).map((one) => seen(keyId, one, version, { version, code: 'ROTATED' })),
      );
    const { listed, unlisted } = await stores.store.observedSources.list(keyId, versions);
    expect(listed).toHaveLength(200);
    expect(listed.at(-1)).toMatchObject({ secret: 'EARLIER', lastAt: at(21) });
    expect(unlisted).toEqual([
      { secret: 'EARLIER', firstAt: at(1), lastAt: at(20), counts: [{ code: 'ROTATED', count: 400 }] },
    ]);
  });

  it('a key whose secrets all had too many addresses keeps a limited number of rows', async () => {
    const keyId = randomUUID();
    for (let version = 1; version <= 40; version += 1)
      await add(
        stores.store,
        addresses(101).map((one, i) => seen(keyId, one, 200 * version + i, { version })),
      );
    let rows = 0;
    await stores.store.changes.housekeep(async (transaction) => {
      rows = await transaction.observedSource.count({ where: { keyId } });
    });
    expect(rows).toBeLessThanOrEqual(203);
    const { unlisted } = await stores.store.observedSources.list(keyId, 40);
    expect(unlisted.map(({ secret }) => secret).sort()).toEqual(['CURRENT', 'EARLIER', 'PREVIOUS']);
  });
});
