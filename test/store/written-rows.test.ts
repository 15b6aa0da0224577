/** Keys and entries of the log are stored alike, whether Prisma writes one or a statement of our own writes several. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit-entry.ts';
import { type ApiKey, initialState } from '../../src/domain/key/api-key.ts';
import type { BulkRows } from '../../src/store/changes/bulk-rows.ts';
import { insertEntries, insertKeys, updateKeys } from '../../src/store/changes/written-rows.ts';
import { rowFromEntry } from '../../src/store/rows/audit-rows.ts';
import { rowFromKey } from '../../src/store/rows/key-rows.ts';
import { providers } from '../support/databases.ts';
import { openStores } from '../support/stores.ts';

const at = new Date('2026-11-27T07:08:09.010Z');

const plain: Omit<ApiKey, 'id' | 'prefix' | 'digest'> = {
  ...initialState,
  teamId: randomUUID(),
  env: 'live',
  pepperId: 'p',
  createdAt: at,
  name: 'A key',
  description: null,
  allowedIps: [],
  scopes: [],
  externalId: null,
  responsible: null,
  tags: [],
  metadata: null,
  rateLimit: null,
  expiresAt: null,
};

const full: typeof plain = {
  ...plain,
  env: 'test',
  name: 'Schlüssel 😀 \\u0000',
  description: 'has "all" columns',
  allowedIps: ['192.0.2.1 # office', '2001:db8::/32'],
  scopes: ['orders:read'],
  externalId: 'customer-1',
  responsible: 'ada',
  tags: ['a', 'b'],
  metadata: { plan: 'pro', limits: [1, 2.5, true, null], nested: { ü: '"' } },
  rateLimit: { limit: 10, windowSeconds: 60 },
  expiresAt: at,
  revokedAt: at,
  disabledAt: at,
  signingEnvelope: 'sealed',
  signingVersion: 2,
  previousSigningEnvelope: 'sealed before',
  previousSigningVersion: 1,
  previousSigningExpiresAt: at,
  importRevision: 5n,
  secretVersion: 3,
  rotatedAt: at,
  previousPrefix: 'lk_test_before',
  previousExpiresAt: at,
};

const entry: Omit<AuditEntry, 'revision' | 'keyId'> = {
  action: 'KEY_UPDATED',
  teamId: plain.teamId,
  actor: 'tester',
  actorKind: 'SESSION',
  credentialId: null,
  source: '192.0.2.1',
  requestId: 'request',
  at,
  changes: [{ field: 'tags', before: null, after: ['a'], added: ['a', '😀'], removed: [] }],
  details: null,
};

let revision = 0n;
const next = () => {
  revision += 1n;
  return revision;
};

/** Names that Prisma gives a meaning in JSON values, and that JavaScript gives one in objects. */
const reserved = JSON.parse(
  '{"__prismaRawParameters__":true,"values":{"$type":"Json","value":"{"},"$type":"x","a":{"$type":""},"__proto__":1}',
);

it.each(providers)('on %s, alone and in a group, with all columns and with few', async (provider) => {
  const { store, stop } = await openStores(provider);
  onTestFinished(stop);
  const perform = (work: (bulk: BulkRows) => Promise<void>) => store.changes.housekeep((_, bulk) => work(bulk));
  const rowOf = (key: typeof plain, id: string = randomUUID()) =>
    rowFromKey({ ...key, id, prefix: `lk_live_${id}`, digest: id }, next());
  type KeyRow = ReturnType<typeof rowOf>;

  /** The stored texts of a row, without what two keys can't share. */
  const storedRow = async (table: 'ApiKey' | 'AuditEntry', column: string, id: string) => {
    let found: Record<string, unknown> = {};
    await perform(async ({ transaction }) => {
      const rows = await transaction.$queryRawUnsafe<Record<string, unknown>[]>(
        `SELECT * FROM "${table}" WHERE "${column}" = '${id}'`,
      );
      expect(rows).toHaveLength(1);
      found = rows[0] ?? {};
    });
    const { revision: _, ...row } = found;
    return JSON.parse(
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? Number(value) : value)).replaceAll(id, 'ID'),
    );
  };
  const storedKey = ({ id }: KeyRow) => storedRow('ApiKey', 'id', id);

  for (const [before, after] of [
    [plain, full],
    [full, plain],
    [plain, { ...plain, metadata: reserved }],
    [{ ...plain, metadata: reserved }, plain],
  ] as const) {
    const [alone, one, other] = [rowOf(before), rowOf(before), rowOf(before)];
    await perform((bulk) => insertKeys(bulk, [alone]));
    await perform((bulk) => insertKeys(bulk, [one, other]));
    expect(await storedKey(alone)).toEqual(await storedKey(one));
    await perform((bulk) => updateKeys(bulk, [rowOf(after, alone.id)]));
    await perform((bulk) => updateKeys(bulk, [rowOf(after, one.id), rowOf(after, other.id)]));
    expect(await storedKey(alone)).toEqual(await storedKey(one));
    expect(await storedKey(alone)).toMatchObject({ name: after.name, description: after.description });
  }

  for (const kind of [
    entry,
    { ...entry, action: 'KEY_EXPOSED', actorKind: 'SYSTEM', source: null, details: { ü: [1] } },
  ] as const) {
    const [alone, one, other] = [randomUUID(), randomUUID(), randomUUID()];
    const entryOf = (keyId: string) => rowFromEntry({ ...kind, keyId }, next());
    await perform((bulk) => insertEntries(bulk, [entryOf(alone)]));
    await perform((bulk) => insertEntries(bulk, [entryOf(one), entryOf(other)]));
    expect(await storedRow('AuditEntry', 'keyId', alone)).toEqual(await storedRow('AuditEntry', 'keyId', one));
  }
  // A key that was purged in the meantime.
  await perform((bulk) => updateKeys(bulk, [rowOf(plain)]));
});
