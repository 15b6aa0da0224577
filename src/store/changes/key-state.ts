/** The keys that the changes of a group need: read together, and kept as the changes of the group leave them. */
import type { ApiKey, KeyEnv, StoredKey } from '../../domain/key/api-key.ts';
import type { IdempotentCreate } from '../../domain/key/idempotency.ts';
import { limits } from '../../domain/limits.ts';
import { normalized } from '../../domain/normalized.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { loadExposures } from '../rows/exposures.ts';
import { keysByExternalName } from '../rows/external-names.ts';
import { policiesOf } from '../rows/key-policies.ts';
import { keyFromRow } from '../rows/key-rows.ts';
import type { Load, LoadedKeys, NeededKeys, Write } from './change.ts';

type Client = Prisma.TransactionClient;

/** For a change of one key. Null if it does not exist, possibly because it was purged. */
export function keyWithId(keyId: string): Load<StoredKey | null> {
  return { needs: { ids: [keyId] }, pick: ({ keys }) => keys.get(keyId) ?? null };
}

export interface BeforeCreation {
  readonly unrevokedKeys: number;
  /** The record with the idempotency id, expired or not. */
  readonly earlier: IdempotentCreate | null;
  readonly policies: TeamPolicies | undefined;
}

/** @param idempotencyId of the record that an earlier call with the same idempotency key may have stored */
export function creationIn(teamId: string, idempotencyId?: string): Load<BeforeCreation> {
  const idempotencyIds = idempotencyId === undefined ? [] : [idempotencyId];
  return {
    needs: { counts: [teamId], idempotencyIds, policies: [teamId] },
    pick: ({ counts, idempotentCreates, policies }) => ({
      unrevokedKeys: counts.get(teamId) ?? 0,
      earlier: idempotentCreates.get(idempotencyId ?? '') ?? null,
      policies: policies.get(teamId),
    }),
  };
}

export interface BeforeImport {
  readonly unrevokedKeys: number;
  /** The key, of any team, that has or had one of the digests. */
  readonly existing: StoredKey | null;
}

/** @param digests one per pepper: the same key may have been imported under an older pepper */
export function importInto(teamId: string, digests: readonly string[]): Load<BeforeImport> {
  return {
    needs: { counts: [teamId], digests },
    pick: ({ counts, byDigest }) => {
      const [existing = null] = digests.flatMap((digest) => byDigest.get(digest) ?? []);
      return { unrevokedKeys: counts.get(teamId) ?? 0, existing };
    },
  };
}

export interface BeforePut {
  /** The unrevoked keys with the external id. */
  readonly keys: readonly StoredKey[];
  readonly unrevokedKeys: number;
  /** The key, of any team, that has or had one of the digests. */
  readonly digestOwner: StoredKey | null;
}

/** @param digests under which a key can have the secret that a client made */
export function putOf(
  key: Pick<ApiKey, 'teamId' | 'env'> & { readonly externalId: string },
  digests: readonly string[],
): Load<BeforePut> {
  const name = externalName(key);
  return {
    needs: { counts: [key.teamId], digests, externalNames: [name] },
    pick: ({ byExternalName, counts, byDigest }) => ({
      keys: byExternalName.get(name) ?? [],
      unrevokedKeys: counts.get(key.teamId) ?? 0,
      digestOwner: digests.flatMap((digest) => byDigest.get(digest) ?? [])[0] ?? null,
    }),
  };
}

/** Names the keys of a team and environment that have an external id. */
export function externalName({ teamId, env, externalId }: Pick<ApiKey, 'teamId' | 'env' | 'externalId'>): string {
  return JSON.stringify([teamId, env, externalId === null ? null : normalized(externalId)]);
}

/** @param hasPolicies whether any team ever had one */
export async function loadKeyState(
  client: Client,
  provider: DatabaseProvider,
  needed: readonly NeededKeys[],
  hasPolicies: boolean,
): Promise<LoadedKeys> {
  const all = (name: keyof NeededKeys) => [...new Set(needed.flatMap((needs) => needs[name] ?? []))];
  const keys = await loadKeys(client, all('ids'));
  const byExternalName = await loadByExternalName(client, all('externalNames'));
  for (const key of [...byExternalName.values()].flat()) keys.set(key.id, key);
  return {
    keys,
    counts: await countKeys(client, all('counts')),
    idempotentCreates: await loadIdempotentCreates(client, all('idempotencyIds')),
    byDigest: await loadByDigest(client, all('digests')),
    exposures: await loadExposures(client, provider, all('exposures'), [...keys.values()]),
    policies: hasPolicies ? await policiesOf(client, all('policies')) : new Map(),
    byExternalName,
  };
}

/** Lets the next change of the group see what the one before it writes. */
export function noteWrite(
  state: LoadedKeys,
  { key, isNew, rotated, idempotentCreate, exposures = [] }: Write,
  revision: bigint,
) {
  if (key !== undefined) {
    state.keys.set(key.id, { ...key, revision });
    noteExternalName(state.byExternalName, { ...key, revision });
    if (isNew === true) state.counts.set(key.teamId, (state.counts.get(key.teamId) ?? 0) + 1);
    if (isNew === true || rotated !== undefined) state.byDigest.set(key.digest, { ...key, revision });
  }
  if (idempotentCreate !== undefined) state.idempotentCreates.set(idempotentCreate.id, idempotentCreate);
  for (const exposure of exposures) state.exposures.add(exposure);
}

async function loadKeys(client: Client, ids: string[]): Promise<LoadedKeys['keys']> {
  const rows = ids.length === 0 ? [] : await client.apiKey.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, keyFromRow(row)]));
}

async function loadByExternalName(client: Client, names: string[]): Promise<LoadedKeys['byExternalName']> {
  const found = new Map<string, StoredKey[]>();
  // One after the other, because one query can't limit the keys of each.
  for (const name of names) {
    const [teamId, env, externalId]: [string, KeyEnv, string] = JSON.parse(name);
    found.set(name, await keysByExternalName(client, { teamId, env, externalId }));
  }
  return found;
}

function noteExternalName(names: LoadedKeys['byExternalName'], key: StoredKey): void {
  const name = externalName(key);
  for (const [other, keys] of names) {
    // There can be more keys than were read, so their number says nothing anymore.
    if (keys.length >= limits.ambiguousKeys) continue;
    const others = keys.filter(({ id }) => id !== key.id);
    names.set(other, other === name && key.revokedAt === null ? [...others, key] : others);
  }
}

async function loadIdempotentCreates(client: Client, ids: string[]): Promise<LoadedKeys['idempotentCreates']> {
  const rows = ids.length === 0 ? [] : await client.idempotentCreate.findMany({ where: { id: { in: ids } } });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds who has a digest, in all teams. A rotated secret still belongs to its key, so that no import restores it. */
async function loadByDigest(client: Client, digests: string[]): Promise<LoadedKeys['byDigest']> {
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

async function countKeys(client: Client, teams: string[]): Promise<LoadedKeys['counts']> {
  if (teams.length === 0) return new Map();
  const counts = await client.apiKey.groupBy({
    by: ['teamId'],
    where: { teamId: { in: teams }, revokedAt: null },
    _count: true,
  });
  return new Map(counts.map(({ teamId, _count }) => [teamId, _count]));
}
