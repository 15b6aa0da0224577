/** Writes a population with everything that such keys leave behind: their log, earlier secrets, use and its hours. */
import { randomBytes } from 'node:crypto';
import { dayMs } from '../../../../src/domain/moment.ts';
import type { RingKey } from '../../../../src/domain/secret/key-ring.ts';
import { mintSecret } from '../../../../src/domain/secret/secret.ts';
import { digestSecret } from '../../../../src/domain/secret/secret-digest.ts';
import type { DatabaseAddress } from '../../../../src/lib/database-address.ts';
import { migrate } from '../../../../src/store/migrate.ts';
import { progress } from '../../print.ts';
import { type Dialect, dialects } from './dialect.ts';
import { kindOf, kinds, type Population } from './population.ts';
import { postgresTarget, type SeedTarget, sqliteTarget } from './seed-target.ts';

/** How many days ago the first key was created. */
export const ageDays = 730;
/** How many days ago a key that is to be purged was revoked, and its use was counted: a day less for each round. */
export const purgeableDays = 400;
export const purgeRounds = 5;

const tables = ['ApiKey', 'AuditEntry', 'RotatedSecret', 'KeyUsage', 'UsageHour', 'UsageDay', 'TeamUsageHour'] as const;
const rowsPerBatch = 250_000;

/** The secrets of the keys that are verified, by their numbers. All other keys have digests that no secret has. */
export type Secrets = ReadonlyMap<number, string>;

export interface Seeded {
  readonly secrets: Secrets;
  /** By index: the time that a migration needs for it. */
  readonly indexSeconds: Readonly<Record<string, number>>;
}

export interface SeedOptions {
  readonly address: DatabaseAddress;
  readonly population: Population;
  /** The numbers of the keys whose secrets are needed. */
  readonly verified: Iterable<number>;
  readonly pepper: RingKey;
  readonly now: Date;
}

export async function seed({ address, population, verified, pepper, now }: SeedOptions): Promise<Seeded> {
  await migrate(address);
  const target =
    address.provider === 'sqlite' ? await sqliteTarget(address.file) : await postgresTarget(address.url, tables);
  const secrets = new Map<number, string>();
  const sample = [...verified].map((key) => {
    const { secret, prefix } = mintSecret('lk', 'live', randomBytes);
    secrets.set(key, secret);
    return [key, prefix, digestSecret(secret, pepper)];
  });
  const teams = population.teams.map(({ first, id }) => [first, id]);
  await target.temporaryTable('seed_team', 'first bigint PRIMARY KEY, id text', teams);
  await target.temporaryTable('seed_sample', 'i bigint PRIMARY KEY, prefix text, digest text', sample);
  const indexes = await target.indexes(tables);
  // The other statements read the keys by their revisions.
  const dropped = indexes.filter(({ name }) => name !== 'ApiKey_revision_key');
  for (const { drop } of dropped) await target.execute(drop);
  await insertRows(target, population, pepper.id, now);
  const indexSeconds: Record<string, number> = {};
  for (const { name, create } of dropped) {
    progress(`index ${name}`);
    const startedAt = performance.now();
    await target.execute(create);
    indexSeconds[name] = (performance.now() - startedAt) / 1000;
  }
  progress('commit');
  await target.commit();
  await target.close();
  return { secrets, indexSeconds };
}

async function insertRows(target: SeedTarget, population: Population, pepperId: string, now: Date): Promise<void> {
  const { keys, purgeable } = population;
  const rows = rowsOf(dialects[target.dialect], population, pepperId, now);
  for (let first = 0; first < keys; first += rowsPerBatch) {
    const last = Math.min(first + rowsPerBatch, keys) - 1;
    progress(`keys ${first.toLocaleString('en-US')} of ${keys.toLocaleString('en-US')}`);
    await target.execute(rows.keys(first, last));
    for (const statement of rows.ofKeys) await target.execute(`${statement} ${range(first, last, keys)}`);
  }
  progress('team hours, and what is to be purged');
  await target.execute(rows.teamHours);
  for (const statement of rows.oldUse) await target.execute(`${statement} ${range(0, purgeable - 1, keys)}`);
  await target.execute(`UPDATE "Revision" SET "current" = ${2 * keys}, "imports" = true`);
}

/** A key that was never changed has its number plus 1 as its revision, any other one `keys` more. */
function range(first: number, last: number, keys: number): string {
  const between = (offset: number) => `k."revision" BETWEEN ${first + 1 + offset} AND ${last + 1 + offset}`;
  return `AND (${between(0)} OR ${between(keys)})`;
}

/** The statements of a database. Those of `ofKeys` and `oldUse` lack the range of keys. */
function rowsOf(dialect: Dialect, { keys, multiplier, purgeable }: Population, pepperId: string, now: Date) {
  const { uuid, digest, moment, json, enumOf, numbers } = dialect;
  const nowMs = now.getTime();
  const ageMs = ageDays * dayMs;
  // Products of milliseconds and numbers of keys are beyond 32 bits: PostgreSQL takes the type of the first number.
  const createdMs = (i: string) => `${nowMs - ageMs} + ${i} * ${Math.floor(ageMs / keys)}`;
  const daysAgo = (days: string) => `${nowMs} - ((${days}) * ${dayMs})`;
  const kind = `n.i % ${kinds}`;
  const is = (...of: readonly number[]) => `${kind} IN (${of.join(', ')})`;
  const isPurgeable = `${is(kindOf.purgeable)} AND n.i < ${purgeable * kinds}`;
  // Imported keys are kept for ever, also when they were revoked long ago.
  const isOldImport = `n.i % ${4 * kinds} = ${kindOf.imported}`;
  const oldMs = daysAgo(`${purgeableDays} + (n.i / ${kinds}) % ${purgeRounds}`);
  const revokedMs = daysAgo(`1 + n.i % 30`);
  const number = `CASE WHEN k."revision" > ${keys} THEN k."revision" - ${keys} ELSE k."revision" END`;
  const isChanged = `${is(kindOf.revoked, kindOf.disabled, kindOf.rotated)} OR ${isPurgeable} OR ${isOldImport}`;
  const env = `CASE WHEN ${is(kindOf.test)} THEN 'test' ELSE 'live' END`;
  const prefix = `COALESCE(s.prefix, 'lk_' || ${env} || '_' || substr(CAST(100000000 + n.i AS TEXT), 2))`;
  const name = `'Service ' || substr(${uuid(`'name ' || n.i`)}, 1, 4) || ' ' || n.i`;
  const previousPrefix = `'lk_live_R' || substr(CAST(10000000 + n.i AS TEXT), 2)`;
  const isRotated = is(kindOf.rotated);
  const columns: Readonly<Record<string, string>> = {
    id: uuid(`'key ' || n.i`),
    teamId: `(SELECT t.id FROM seed_team t WHERE t.first <= n.i * ${multiplier} % ${keys} ORDER BY t.first DESC LIMIT 1)`,
    name,
    env: enumOf('KeyEnv', env),
    prefix,
    digest: `COALESCE(s.digest, ${digest(`'digest ' || n.i`)})`,
    pepperId: `'${pepperId}'`,
    allowedIps: json(`CASE WHEN ${is(kindOf.restricted)} THEN '["10.0.0.0/8","192.0.2.1"]' ELSE '[]' END`),
    expiresAt: `CASE WHEN ${is(kindOf.expired)} THEN ${moment(`${createdMs('n.i')} + ${20 * dayMs}`)}
      WHEN ${kind} IN (8, 9, 10, 11) THEN ${moment(`${nowMs} + (1 + n.i % 364) * ${dayMs} + (n.i % 86400) * 1000`)} END`,
    createdAt: moment(createdMs('n.i')),
    revokedAt: `CASE WHEN ${isPurgeable} OR ${isOldImport} THEN ${moment(oldMs)}
      WHEN ${is(kindOf.revoked)} THEN ${moment(revokedMs)} END`,
    // A text to sort by, which here is the name itself, and the texts to search.
    searchText: `lower('\n' || ${name} || '\n' || ${name} || '\n' || ${prefix}) || CASE WHEN ${isRotated} THEN lower('\n' || ${previousPrefix}) ELSE '' END`,
    revision: `n.i + 1 + CASE WHEN ${isChanged} THEN ${keys} ELSE 0 END`,
    importRevision: `CASE WHEN ${is(kindOf.imported)} THEN n.i + 1 END`,
    secretVersion: `CASE WHEN ${isRotated} THEN 2 ELSE 1 END`,
    rotatedAt: `CASE WHEN ${isRotated} THEN ${moment(revokedMs)} END`,
    previousPrefix: `CASE WHEN ${isRotated} THEN ${previousPrefix} END`,
    previousExpiresAt: `CASE WHEN n.i % ${2 * kinds} = ${kindOf.rotated}
      THEN ${moment(`${nowMs} + (2 + n.i % 28) * ${dayMs} + (n.i % 86400) * 1000`)} END`,
    disabledAt: `CASE WHEN ${is(kindOf.disabled)} THEN ${moment(revokedMs)} END`,
    description: `CASE WHEN ${kind} > 15 THEN 'Used by the nightly build of service ' || n.i END`,
    scopes: json(`CASE WHEN n.i % 2 = 0 THEN '["orders:read","orders:write"]' ELSE '[]' END`),
    externalId: `CASE WHEN ${kind} = 9 THEN 'customer-' || n.i % 1000 END`,
    tags: json(`CASE WHEN ${kind} > 9 THEN '["production","eu"]' ELSE '[]' END`),
    metadata: json(`CASE WHEN ${kind} BETWEEN 12 AND 15 THEN '{"plan":"gold","region":"eu-1"}' END`),
    rateLimit: `CASE WHEN ${is(kindOf.restricted)} THEN 1000 END`,
    rateLimitWindowSeconds: `CASE WHEN ${is(kindOf.restricted)} THEN 60 END`,
  };
  const names = Object.keys(columns).map((column) => `"${column}"`);
  const action = (created: string, imported: string) =>
    enumOf('AuditAction', `CASE WHEN k."importRevision" IS NULL THEN '${created}' ELSE '${imported}' END`);
  const changed = enumOf(
    'AuditAction',
    `CASE WHEN k."revokedAt" IS NOT NULL THEN 'KEY_REVOKED' WHEN k."disabledAt" IS NOT NULL THEN 'KEY_DISABLED'
      ELSE 'KEY_ROTATED' END`,
  );
  const entry = (revision: string, what: string, at: string, changes: string) =>
    `INSERT INTO "AuditEntry" ("revision", "action", "keyId", "teamId", "actor", "actorKind", "source", "requestId", "at", "changes")
     SELECT ${revision}, ${what}, k."id", k."teamId", 'ann@example.com', ${enumOf('ActorKind', `'SESSION'`)}, '203.0.113.9',
       ${uuid(`'request ' || ${revision}`)}, ${at}, ${json(changes)} FROM "ApiKey" k`;
  const created = `'[{"field":"name","before":null,"after":"' || k."name" || '"},{"field":"env","before":null,"after":"live"},'
    || '{"field":"prefix","before":null,"after":"' || k."prefix" || '"}]'`;
  const at = (days: string) => moment(daysAgo(days));
  const isUsed = `(${number}) % 2 = 0`;
  // Hours and days begin at full ones.
  const today = nowMs - (nowMs % dayMs);
  const usedAt = moment(`${nowMs} - (${number}) % 60 * ${dayMs}`);
  const usedDay = moment(`${today} - (${number}) % 60 * ${dayMs}`);
  const oldDay = moment(daysAgo(`${purgeableDays} + (${number}) % ${purgeRounds}`));
  return {
    keys: (first: number, last: number) =>
      `INSERT INTO "ApiKey" (${names.join(', ')}) SELECT ${Object.values(columns).join(', ')}
       FROM ${numbers(first, last)} LEFT JOIN seed_sample s ON s.i = n.i`,
    ofKeys: [
      `${entry(number, action('KEY_CREATED', 'KEY_IMPORTED'), 'k."createdAt"', created)} WHERE true`,
      `${entry('k."revision"', changed, at(`1 + k."revision" % 30`), `'[{"field":"state","before":null,"after":"changed"}]'`)}
       WHERE k."revision" > ${keys}`,
      `INSERT INTO "RotatedSecret" ("digest", "keyId", "teamId", "version", "prefix", "pepperId", "rotatedAt")
       SELECT ${digest(`'rotated ' || k."revision"`)}, k."id", k."teamId", 1, k."previousPrefix", k."pepperId", k."rotatedAt"
       FROM "ApiKey" k WHERE k."secretVersion" = 2`,
      `INSERT INTO "KeyUsage" ("keyId", "lastUsedAt") SELECT k."id", ${usedAt} FROM "ApiKey" k WHERE ${isUsed}`,
      `INSERT INTO "UsageHour" ("keyId", "hour", "code", "count")
       SELECT k."id", ${usedDay}, 'VALID', 17 FROM "ApiKey" k WHERE ${isUsed}`,
      `INSERT INTO "UsageDay" ("keyId", "day", "count")
       SELECT k."id", ${usedDay}, 17 FROM "ApiKey" k WHERE ${isUsed}`,
    ],
    teamHours: `INSERT INTO "TeamUsageHour" ("teamId", "hour", "code", "count")
      SELECT t.id, ${moment(String(today))}, 'VALID', 1700 FROM seed_team t`,
    oldUse: [
      `INSERT INTO "UsageHour" ("keyId", "hour", "code", "count")
       SELECT k."id", ${oldDay}, 'VALID', 17 FROM "ApiKey" k WHERE true`,
    ],
  };
}
