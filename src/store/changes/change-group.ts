/**
 * Applies a group of changes in one transaction: decides each change on the state after the previous changes, then
 * writes all. Other work of the event loop runs before each statement, because SQLite blocks the thread.
 */
import type { StoredKey } from '../../domain/key/api-key.ts';
import type { IdempotentCreate } from '../../domain/key/idempotency.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import { nextTurn } from '../../lib/scheduler.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { rowFromEntry } from '../rows/audit-rows.ts';
import { type KeyRow, keyFromRow, rowFromKey } from '../rows/key-rows.ts';
import { rotateSecretUse } from '../rows/secret-use.ts';
import { type BulkRows, idempotentTable, rotatedTable } from './bulk-rows.ts';
import type { Change, Decision } from './change.ts';
import { insertEntries, insertKeys, updateKeys } from './written-rows.ts';

type Client = Prisma.TransactionClient;
type Changes = readonly Change<unknown>[];

export interface Submitted {
  readonly change: Change<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles one change of a group, after the transaction has been committed. */
export type Settle = () => void;

export interface Applied {
  readonly settlements: readonly Settle[];
  readonly leaseMs: number;
}

interface State {
  readonly keys: Map<string, StoredKey>;
  /** The number of unrevoked keys per team. */
  readonly counts: Map<string, number>;
  readonly idempotentCreates: Map<string, IdempotentCreate>;
  /** The keys that have or had the digest of a key to be imported. */
  readonly byDigest: Map<string, StoredKey>;
}

class Outcome {
  readonly created: KeyRow[] = [];
  imported = false;
  /** Rows by key id: several changes of one key in a group result in one row. */
  readonly updated = new Map<string, KeyRow>();
  readonly rotated: RotatedSecret[] = [];
  readonly entries: Prisma.AuditEntryCreateManyInput[] = [];
  readonly idempotentCreates: IdempotentCreate[] = [];
  readonly settlements: Settle[] = [];
}

export async function applyGroup(bulk: BulkRows, group: readonly Submitted[]): Promise<Applied> {
  const { transaction, scheduler } = bulk;
  // Taking the revisions first blocks all other writers until the commit, so that the state read below can't change
  // and revisions are committed in order.
  const { current, leaseMs, imports } = await transaction.revision.update({
    where: { id: 1 },
    data: { current: { increment: group.length } },
  });
  await nextTurn(scheduler);
  const changes = group.map(({ change }) => change);
  const state = await loadState(transaction, changes);
  const { created, imported, updated, rotated, entries, idempotentCreates, settlements } = decideInTurn(
    group,
    state,
    current - BigInt(group.length),
  );
  if (imported && !imports) await transaction.revision.update({ where: { id: 1 }, data: { imports: true } });
  await insertKeys(bulk, created);
  await bulk.insert(idempotentTable, idempotentCreates);
  await updateKeys(bulk, [...updated.values()]);
  await bulk.insert(rotatedTable, rotated);
  await rotateSecretUse(bulk, rotated);
  await insertEntries(bulk, entries);
  await nextTurn(scheduler);
  return { settlements, leaseMs };
}

/** Decides each change on the current state, without writing. Throws the error of the first change that fails. */
export async function previewGroup(reader: Client, changes: Changes): Promise<readonly unknown[]> {
  const state = await loadState(reader, changes);
  return changes.map((change) => decideOn(change, state, 0n).answer);
}

async function loadState(client: Client, changes: Changes): Promise<State> {
  return {
    keys: await loadKeys(client, changes),
    counts: await countKeys(client, changes),
    idempotentCreates: await loadIdempotentCreates(client, changes),
    byDigest: await loadImported(client, changes),
  };
}

function decideInTurn(group: readonly Submitted[], state: State, revisionBefore: bigint): Outcome {
  const { keys, counts, idempotentCreates, byDigest } = state;
  const outcome = new Outcome();
  let revision = revisionBefore;
  for (const { change, resolve, reject } of group) {
    try {
      const { answer, write } = decideOn(change, state, revision + 1n);
      outcome.settlements.push(() => resolve(answer));
      if (write === undefined) continue;
      revision += 1n;
      const { key, audit, rotated, idempotentCreate } = write;
      const row = rowFromKey(key, revision);
      if (change.kind === 'existing') {
        outcome.updated.set(key.id, row);
        keys.set(key.id, { ...key, revision });
      } else {
        outcome.created.push(row);
        counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
        byDigest.set(key.digest, { ...key, revision });
        if (change.kind === 'import') outcome.imported = true;
      }
      if (idempotentCreate !== undefined) {
        outcome.idempotentCreates.push(idempotentCreate);
        idempotentCreates.set(idempotentCreate.id, idempotentCreate);
      }
      if (rotated !== undefined) outcome.rotated.push(rotated);
      if (audit !== undefined) outcome.entries.push(rowFromEntry(audit, revision));
    } catch (error) {
      outcome.settlements.push(() => reject(error));
    }
  }
  return outcome;
}

function decideOn(change: Change<unknown>, state: State, revision: bigint): Decision<unknown> {
  switch (change.kind) {
    case 'existing':
      return change.decide(state.keys.get(change.keyId) ?? null, revision);
    case 'create': {
      const earlier = state.idempotentCreates.get(change.idempotencyId ?? '') ?? null;
      return change.decide(state.counts.get(change.teamId) ?? 0, revision, earlier);
    }
    case 'import': {
      const { teamId, digests } = change;
      const [existing = null] = digests.flatMap((digest) => state.byDigest.get(digest) ?? []);
      return change.decide(state.counts.get(teamId) ?? 0, revision, existing);
    }
  }
}

async function loadKeys(client: Client, changes: Changes): Promise<Map<string, StoredKey>> {
  const ids = changes.flatMap((change) => (change.kind === 'existing' ? [change.keyId] : []));
  const rows = ids.length === 0 ? [] : await client.apiKey.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, keyFromRow(row)]));
}

async function loadIdempotentCreates(client: Client, changes: Changes): Promise<Map<string, IdempotentCreate>> {
  const ids = changes.flatMap((change) => (change.kind === 'create' ? (change.idempotencyId ?? []) : []));
  if (ids.length === 0) return new Map();
  const rows = await client.idempotentCreate.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds who has a digest, in all teams. A rotated secret still belongs to its key, so that no import restores it. */
async function loadImported(client: Client, changes: Changes): Promise<State['byDigest']> {
  const digests = changes.flatMap((change) => (change.kind === 'import' ? change.digests : []));
  if (digests.length === 0) return new Map();
  const where = { digest: { in: digests } };
  const rotated = await client.rotatedSecret.findMany({ where });
  const id = { in: rotated.map(({ keyId }) => keyId) };
  const rows = await client.apiKey.findMany({ where: { OR: [where, { id }] } });
  const keys = new Map(rows.map((row) => [row.id, keyFromRow(row)]));
  const earlier = rotated.map(({ digest, keyId }) => [digest, keys.get(keyId)] as const);
  // Of several, which only versions before this rule could import, the first counts.
  const current = [...keys.values()].sort(byImport).map((key) => [key.digest, key] as const);
  return new Map([...earlier, ...current].flatMap(([digest, key]) => (key === undefined ? [] : [[digest, key]])));
}

const byImport = (a: StoredKey, b: StoredKey) => Number((b.importRevision ?? 0n) - (a.importRevision ?? 0n));

async function countKeys(client: Client, changes: Changes): Promise<Map<string, number>> {
  const teams = changes.flatMap((change) => (change.kind === 'existing' ? [] : [change.teamId]));
  if (teams.length === 0) return new Map();
  const counts = await client.apiKey.groupBy({
    by: ['teamId'],
    where: { teamId: { in: [...new Set(teams)] }, revokedAt: null },
    _count: true,
  });
  return new Map(counts.map(({ teamId, _count }) => [teamId, _count]));
}
