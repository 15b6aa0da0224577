// SECURITY.md: Hostile tenant
/** The queries that run all the time find their rows by index, in order, whatever the size of the tables. */
import { randomUUID } from 'node:crypto';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { parseSearchText } from '../../src/domain/key/search-text.ts';
import { limits } from '../../src/domain/limits.ts';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { BulkRows } from '../../src/store/changes/bulk-rows.ts';
import { ChangeQueue } from '../../src/store/changes/change-queue.ts';
import { openPostgresKeyFeed } from '../../src/store/feed/postgres-key-feed.ts';
import { PrismaClient as PostgresClient } from '../../src/store/generated/postgresql/client.ts';
import { PrismaClient } from '../../src/store/generated/sqlite/client.ts';
import { migrate } from '../../src/store/migrate.ts';
import { AuditLog } from '../../src/store/rows/audit-log.ts';
import { Deliveries, trimDeliveries } from '../../src/store/rows/deliveries.ts';
import { DeliveryQueue } from '../../src/store/rows/delivery-queue.ts';
import { Exposures } from '../../src/store/rows/exposures.ts';
import { KeyMoments, type MomentName } from '../../src/store/rows/key-moments.ts';
import { KeyPolicies } from '../../src/store/rows/key-policies.ts';
import type { KeyListing } from '../../src/store/rows/key-selection.ts';
import { Keys } from '../../src/store/rows/keys.ts';
import { ManagementKeys } from '../../src/store/rows/management-keys.ts';
import { ObservedSources } from '../../src/store/rows/observed-sources.ts';
import { purgeableKeys } from '../../src/store/rows/purgeable-keys.ts';
import { TeamMembers } from '../../src/store/rows/team-members.ts';
import { TrustRules } from '../../src/store/rows/trust-rules.ts';
import { Usage } from '../../src/store/rows/usage.ts';
import { providers, temporaryDatabase, theProvider } from '../support/databases.ts';
import { noTeamRules } from '../support/plain-keys.ts';
import { both, callerOf, startService } from '../support/service.ts';

interface Statement {
  readonly query: string;
  readonly params: string;
}

const listing: KeyListing = {
  teamId: randomUUID(),
  states: ['ACTIVE', 'EXPIRED'],
  orderBy: { field: 'CREATED_AT', direction: 'DESC' },
  limit: 51,
  now: new Date(),
};
const after = { value: new Date(), id: randomUUID() };

/** Only for reading. */
function queueOver(reader: PrismaClient): ChangeQueue {
  const done = async () => undefined;
  const clients = { reader, slowReader: reader, writer: reader };
  return new ChangeQueue({ provider: 'sqlite', ...clients, resetWriter: done, close: done });
}

type Query = readonly [what: string, index: string, run: (prisma: PrismaClient) => Promise<unknown>];

const queries = (provider: DatabaseProvider): readonly Query[] => {
  const { teamId } = listing;
  const now = new Date();
  const ofKeys = (run: (keys: Keys) => Promise<unknown>) => (prisma: PrismaClient) => run(new Keys(prisma, provider));
  const search = (more: Partial<KeyListing> = {}) => ofKeys((keys) => keys.search({ ...listing, ...more }));
  const ofAudit = (run: (log: AuditLog) => Promise<unknown>) => (prisma: PrismaClient) =>
    run(new AuditLog(prisma, provider));
  const ofUsage = (run: (usage: Usage) => Promise<unknown>) => (prisma: PrismaClient) =>
    run(new Usage(prisma, provider, queueOver(prisma)));
  const ofDeliveries = (run: (deliveries: Deliveries) => Promise<unknown>) => (prisma: PrismaClient) =>
    run(new Deliveries(prisma, queueOver(prisma)));
  const ofQueue = (run: (queue: DeliveryQueue) => Promise<unknown>) => (prisma: PrismaClient) =>
    run(new DeliveryQueue(prisma, provider, queueOver(prisma)));
  const ofMembers = (run: (members: TeamMembers) => Promise<unknown>) => (prisma: PrismaClient) =>
    run(new TeamMembers(prisma, queueOver(prisma)));
  const ofManagementKeys = (run: (keys: ManagementKeys) => Promise<unknown>) => (prisma: PrismaClient) =>
    run(new ManagementKeys(prisma));
  const ofPolicies = (by: 'changedAt' | 'enforceAfter' | null) => (prisma: PrismaClient) => {
    const position = by === null ? null : { by, at: now.toISOString(), teamId, env: 'live' as const };
    return new KeyPolicies(prisma).due({ from: now, to: now, enforcedUntil: now }, position, 200);
  };
  const membersIndex = provider === 'sqlite' ? 'sqlite_autoindex_TeamMember_1' : 'TeamMember_pkey';
  const logIndex = 'AuditEntry_teamId_revision_idx';
  const byName = (direction: 'ASC' | 'DESC') => ({ orderBy: { field: 'NAME', direction } }) as const;
  const byExpiry = (['ApiKey_expiry_unrevoked_idx', 'ApiKey_expiry_revoked_idx'] as const).flatMap((index) =>
    (['ASC', 'DESC'] as const).map((direction): Query => {
      const position = direction === 'ASC' ? after : { ...after, value: null };
      const orderBy = { field: 'EXPIRES_AT', direction } as const;
      const run = search({ states: ['ACTIVE', 'REVOKED'], orderBy, after: position });
      return [`keys by expiry, ${direction}, and those that never expire`, index, run];
    }),
  );
  const revoked = { states: ['REVOKED'] } as const;
  const named = ofKeys((keys) =>
    keys.findNamed([teamId], parseSearchText(`lk_live_abcd1234 lk_live_abcd… ${teamId}`), []),
  );
  const afterName = { value: 'x', id: after.id };
  const bounds = { teamId, now, soon: now, longAgo: now, rules: noTeamRules };
  const rotatedIndex = provider === 'sqlite' ? 'sqlite_autoindex_RotatedSecret_1' : 'RotatedSecret_pkey';
  const auditKey = provider === 'sqlite' ? 'sqlite_autoindex_AuditEntry_1' : 'AuditEntry_pkey';
  return [
    ["a team's unrevoked keys, newest first", 'ApiKey_team_unrevoked_idx', search()],
    ['the next page of them', 'ApiKey_team_unrevoked_idx', search({ after })],
    ['the next page of all', 'ApiKey_team_idx', search({ states: ['ACTIVE', 'EXPIRED', 'REVOKED'], after })],
    ['those that were not used since a time', 'ApiKey_team_unrevoked_idx', search({ after, unusedSince: now })],
    [
      "a search of a team's revoked keys",
      'ApiKey_team_revoked_idx',
      search({ ...revoked, after, search: parseSearchText('x') }),
    ],
    ['revoked keys by name', 'ApiKey_name_revoked_idx', search({ ...revoked, ...byName('DESC'), after: afterName })],
    [
      'the key with an external id, however many revoked ones had it',
      'ApiKey_declared_idx',
      ofKeys((keys) => keys.findByExternalName({ teamId, env: 'live', externalId: 'x' })),
    ],
    ['keys of a customer, by name', 'ApiKey_name_unrevoked_idx', search({ externalId: 'x', ...byName('ASC') })],
    [
      'whether names of an earlier version are left',
      'ApiKey_name_revoked_idx',
      ofKeys((keys) => keys.hasOldNames({ ...listing, states: ['ACTIVE', 'REVOKED'] })),
    ],
    ['keys whose names may be converted', 'ApiKey_revision_key', ofKeys((keys) => keys.changedSince(5n, 100))],
    [
      'the selection of a bulk revocation',
      'ApiKey_team_unrevoked_idx',
      ofKeys((keys) => keys.select({ ...listing, externalId: 'x' }, after)),
    ],
    ['the total of revoked keys', 'ApiKey_team_revoked_idx', ofKeys((keys) => keys.count({ ...listing, ...revoked }))],
    ...byExpiry,
    ['the overview of a team', 'ApiKey_team_unrevoked_idx', ofKeys((keys) => keys.overview(bounds))],
    ...momentQueries,
    ['all keys by id, with their use', provider === 'sqlite' ? 'sqlite_autoindex_ApiKey_1' : 'ApiKey_pkey', walk],
    // Each of these indexes has the answer.
    [
      'how many keys a team has',
      '_unrevoked_idx',
      (prisma) => prisma.apiKey.count({ where: { teamId, revokedAt: null } }),
    ],
    // The primary key, whatever a database calls it: behind the index by hour alone, there would be something to sort.
    ['the hours of a team', 'TeamUsageHour_', ofUsage((usage) => usage.teamHourly(teamId, now, now))],
    ['the days of keys', 'UsageDay_', ofUsage((usage) => usage.daily([randomUUID(), randomUUID()], now))],
    ['the rejected verifications of a team', 'RejectedHour_', ofUsage((usage) => usage.rejected(teamId, now, now))],
    [
      'the observed sources of a key',
      'ObservedSource_',
      (prisma) => new ObservedSources(prisma, provider, queueOver(prisma)).list(randomUUID(), 1),
    ],
    [
      'the days of observed sources',
      'SourceDay_keyId_day_idx',
      (prisma) => new ObservedSources(prisma, provider, queueOver(prisma)).days([randomUUID(), randomUUID()], now),
    ],
    [
      'what an address touched',
      provider === 'sqlite' ? 'sqlite_autoindex_SourceDay_1' : 'SourceDay_pkey',
      (prisma) => new ObservedSources(prisma, provider, queueOver(prisma)).ofAddress(teamId, '10.0.0.1'),
    ],
    [
      'the use of the secrets of a key',
      'SecretUse_',
      ofUsage((usage) => usage.lastUsedSecrets([{ id: randomUUID(), secretVersion: 9 }])),
    ],
    ['leaked keys', 'Exposure_keyId_idx', search({ leaked: true })],
    // Each of its two indexes finds one person of a team.
    ['keys whose responsible people have left', 'TeamMember_', search({ responsibleState: ['LEFT'] })],
    [
      'the teams of which a person is a member, in order',
      'TeamMember_subject_teamId_idx',
      ofMembers((members) => members.teamsOf('x', now)),
    ],
    ['a person who has access to a team', 'TeamMember_', ofMembers((members) => members.find(teamId, 'x'))],
    [
      'the next people who have access to a team',
      membersIndex,
      ofMembers((members) => members.list({ teamId, states: ['ACTIVE', 'LEFT'], now, after: 'x', limit: 51 })),
    ],
    ['the digest of a management key', 'ManagementKey_digest_key', ofManagementKeys((keys) => keys.findSecrets(['x']))],
    ...['ManagementKey_digest_key', 'ManagementKey_previous_digest_idx'].map(
      (index): Query => [
        'the key of a call to management',
        index,
        ofManagementKeys((k) => k.findByDigests(['x', 'y'])),
      ],
    ),
    [
      'the trust rules of a team, oldest first',
      'TrustRule_teamId_createdAt_id_idx',
      (prisma) => new TrustRules(prisma).list(teamId),
    ],
    ...[null, 'changedAt' as const].map(
      (by): Query => ['policies that were changed', 'KeyPolicy_changedAt_teamId_env_idx', ofPolicies(by)],
    ),
    ...[null, 'enforceAfter' as const].map(
      (by): Query => ['policies that are enforced', 'KeyPolicy_enforceAfter_teamId_env_idx', ofPolicies(by)],
    ),
    ['a digest', 'ApiKey_digest_teamId_key', ofKeys((keys) => keys.findByDigests(['x', 'y']))],
    ['the digest of a rotated secret', rotatedIndex, ofKeys((keys) => keys.findByDigests(['x', 'y']))],
    ['digests of reported leaks', 'ApiKey_digest_teamId_key', ofKeys((keys) => keys.findSecrets(['x', 'y']))],
    ['digests of leaks that are rotated', rotatedIndex, ofKeys((keys) => keys.findSecrets(['x', 'y']))],
    ['a prefix', 'ApiKey_prefix_teamId_idx', ofKeys((keys) => keys.findByPrefix('t', 'x'))],
    ['a previous prefix', 'ApiKey_previous_prefix_idx', ofKeys((keys) => keys.findByPrefix(randomUUID(), 'x'))],
    ...['ApiKey_prefix_teamId_idx', 'ApiKey_previous_prefix_idx', 'ApiKey_external_id_idx'].map(
      (index): Query => ['keys that a text names', index, named],
    ),
    [
      'the changes since a revision',
      'ApiKey_revision_key',
      (prisma) => prisma.apiKey.findMany({ where: { revision: { gt: 5n } }, orderBy: { revision: 'asc' } }),
    ],
    ["a team's audit trail", 'AuditEntry_teamId_revision_idx', ofAudit((log) => log.list({ teamId, limit: 51 }))],
    [
      "a team's audit trail by an actor",
      'AuditEntry_teamId_revision_idx',
      ofAudit((log) => log.list({ teamId, actor: 'x', last: 5n, limit: 51 })),
    ],
    [
      "a team's audit trail in a period",
      'AuditEntry_teamId_revision_idx',
      ofAudit((log) => log.textBytes({ teamId, from: now, last: 5n, limit: 51 })),
    ],
    [
      'where to stop reading an audit trail',
      'AuditEntry_teamId_revision_idx',
      ofAudit((log) => log.lastToScan({ teamId })),
    ],
    [
      "a key's audit trail",
      'AuditEntry_keyId_revision_idx',
      ofAudit((log) => log.list({ teamId, keyId: randomUUID(), limit: 51 })),
    ],
    [
      "a team's next events",
      'AuditEntry_teamId_revision_idx',
      ofAudit((log) =>
        log.list({ teamId, actions: ['KEY_REVOKED'], oldestFirst: true, after: 5n, last: 9n, limit: 51 }),
      ),
    ],
    [
      "a team's events by revision",
      'AuditEntry_',
      ofAudit((log) => log.heads({ teamId, revisions: [5n, 9n], oldestFirst: true, limit: 2 })),
    ],
    ["a team's last event", 'AuditEntry_teamId_revision_idx', ofAudit((log) => log.lastRevisionOf(teamId))],
    [
      'the next events of all teams',
      auditKey,
      ofAudit((log) => log.heads({ oldestFirst: true, after: 5n, limit: 500 })),
    ],
    ['events of any teams by revision', auditKey, ofAudit((log) => log.find([5n, 9n]))],
    [
      'the endpoints of a team with something to do',
      'Webhook_teamId_createdAt_id_idx',
      ofQueue((queue) => queue.find(now, [teamId])),
    ],
    ['whether an endpoint has something to do: the log', logIndex, ofQueue((queue) => queue.find(now))],
    ['whether an endpoint has something to do: a delivery', 'Delivery_due_idx', ofQueue((queue) => queue.find(now))],
    ['what an endpoint gets next of the log', logIndex, ofQueue((queue) => queue.ranges([randomUUID()]))],
    ['how many deliveries it may get', 'Delivery_', ofQueue((queue) => queue.ranges([randomUUID()]))],
    ['what is due at an endpoint', 'Delivery_due_idx', ofQueue((queue) => queue.due([randomUUID()], [], now))],
    [
      'what is due at an endpoint, and no other delivery of it',
      provider === 'sqlite' ? '(webhookId=? AND revision=?)' : 'Delivery_due_idx',
      ofQueue((queue) => queue.due([randomUUID()], [], now)),
    ],
    ['whether an earlier event of the key waits', 'Delivery_order_idx', ofQueue((q) => q.due([randomUUID()], [], now))],
    ['the oldest event that waits', 'Delivery_due_idx', ofQueue((queue) => queue.oldest())],
    [
      'how many deliveries of an endpoint are pending',
      'Delivery_due_idx',
      ofDeliveries((deliveries) => deliveries.countPending(randomUUID(), 1000)),
    ],
    [
      'the next revoked keys to purge',
      'ApiKey_revoked_idx',
      (prisma) => purgeableKeys(prisma, { before: now, from: new Date(0), revision: 5n }),
    ],
    // Both by the primary key: those that are kept, and those that are deleted.
    [
      'the deliveries of an endpoint that are no longer kept',
      provider === 'sqlite' ? 'sqlite_autoindex_Delivery_1' : 'Delivery_pkey',
      (prisma) => trimDeliveries(new BulkRows(prisma, provider), randomUUID()),
    ],
  ];
};

const momentIndexes = {
  expiry: 'ApiKey_expiring_idx',
  keyOverlap: 'ApiKey_overlap_idx',
  keyOverlapAtExpiry: 'ApiKey_expiring_idx',
  signingOverlap: 'ApiKey_signing_overlap_idx',
  signingOverlapAtExpiry: 'ApiKey_expiring_idx',
  managementKeyExpiry: 'ManagementKey_expiring_idx',
} as const satisfies Record<MomentName, string>;

/** Of all teams, in the order of a moment: the next keys, and the rest of those of one instant. */
const momentQueries = (Object.keys(momentIndexes) as MomentName[]).flatMap((moment) =>
  [null, randomUUID()].map((keyId): Query => {
    const range = { moment, after: { at: new Date(), keyId }, until: new Date(), limit: 200 };
    const what = `keys by ${moment}, ${keyId === null ? 'after' : 'within'} an instant`;
    return [what, momentIndexes[moment], (prisma) => new KeyMoments(prisma).list(range)];
  }),
);

const walk = (prisma: PrismaClient) => new KeyMoments(prisma).uses(randomUUID(), 200);

/** Returns the plan of each statement. */
type Explain = (statements: readonly Statement[]) => Promise<string[]>;

interface Opened {
  readonly prisma: PrismaClient;
  readonly log: readonly Statement[];
  readonly explain: Explain;
}

function openSqlite(file: string): Opened {
  const log: Statement[] = [];
  const adapter = new PrismaBetterSqlite3({ url: `file:${file}` });
  const prisma = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', (event) => log.push(event));
  const explain: Explain = async (statements) => {
    const sqlite = new Sqlite(file);
    onTestFinished(() => void sqlite.close());
    return statements.map((statement) =>
      sqlite
        .prepare(`EXPLAIN QUERY PLAN ${statement.query}`)
        .all(...Array(parametersOf(statement)).fill(''))
        .map((row) => JSON.stringify(row))
        .join('\n')
        .replace(sortOfChunk, ''),
    );
  };
  return { prisma: prisma as unknown as PrismaClient, log, explain };
}

function openPostgres(url: string): Opened {
  const log: Statement[] = [];
  const adapter = new PrismaPg({ connectionString: url });
  const prisma = new PostgresClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', (event) => log.push(event));
  const explain: Explain = async (statements) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // The tables are empty, and an empty table is read faster without an index.
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET plan_cache_mode = force_generic_plan',
    );
    const plans: string[] = [];
    for (const [i, statement] of statements.entries()) {
      await client.query(`PREPARE asked${i} AS ${statement.query}`);
      const nulls = Array(parametersOf(statement)).fill('NULL').join(', ');
      const { rows } = await client.query(`EXPLAIN EXECUTE asked${i}${nulls === '' ? '' : `(${nulls})`}`);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    await client.end();
    return plans;
  };
  return { prisma: prisma as unknown as PrismaClient, log, explain };
}

/** SQLite names the sort. PostgreSQL's "Sort Key" of a merge is not one. */
const sorting = { sqlite: 'TEMP B-TREE', postgresql: 'Sort  (' } as const;

async function plansOf(provider: DatabaseProvider, run: Query[2]): Promise<string[]> {
  const database = await temporaryDatabase(provider);
  const address = readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL;
  await migrate(address);
  const { prisma, log, explain } = address.provider === 'sqlite' ? openSqlite(address.file) : openPostgres(address.url);
  await run(prisma);
  await prisma.$disconnect();
  const plans = await explain(log.filter(({ query }) => /^\s*(?:SELECT|WITH|DELETE)/.test(query)));
  await database.remove();
  return plans;
}

describe.each(providers)('on %s', (provider) => {
  it.each(queries(provider))('%s: by %s, without sorting', async (_, index, run) => {
    const plans = await plansOf(provider, run);
    for (const plan of plans) expect(plan).not.toContain(sorting[provider]);
    expect(plans.join('\n')).toContain(index);
  });

  it('the leaks of keys are found by their keys, and the first of each by its id', async () => {
    const plans = await plansOf(provider, (prisma) => new Exposures(prisma, provider).leaks(new Date(), ['x', 'y']));
    for (const index of ['Exposure_keyId_idx', provider === 'sqlite' ? 'sqlite_autoindex_Exposure_1' : 'Exposure_pkey'])
      expect(plans.join('\n')).toContain(index);
  });

  it.each(
    (['CREATED_AT', 'NAME', 'EXPIRES_AT'] as const).flatMap((field) =>
      (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
    ),
  )('a page begins at its position, however many keys have the same value: $field $direction', async (orderBy) => {
    const value = orderBy.field === 'NAME' ? 'x' : after.value;
    const plans = await plansOf(provider, (prisma) =>
      new Keys(prisma, provider).search({ ...listing, orderBy, after: { ...after, value } }),
    );
    const start =
      provider === 'sqlite' ? /teamId=\? AND \((\w+),id\)[<>]\(\?,\?\)/ : /Index Cond: .*ROW\("?\w+"?, \(?id\)/;
    expect(plans.join('\n')).toMatch(start);
  });
});

it('a search by 20 tags parses the tags of a key once', async () => {
  const tags = Array.from({ length: limits.tags }, (_, i) => `tag ${i}`);
  const [plan = ''] = await plansOf('sqlite', (prisma) => new Keys(prisma, 'sqlite').search({ ...listing, tags }));
  expect(plan.match(/SCAN t VIRTUAL TABLE/g)).toHaveLength(1);
});

if (theProvider === 'postgresql') {
  it('on PostgreSQL, the log of a team or a key is read by its index, however many newer entries others have', async () => {
    const database = await temporaryDatabase('postgresql');
    onTestFinished(() => database.remove());
    await migrate(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    const [teamId, keyId] = [randomUUID(), randomUUID()];
    await client.query(`INSERT INTO "AuditEntry"
        ("revision", "action", "keyId", "teamId", "actor", "requestId", "at", "changes")
      SELECT i, 'KEY_UPDATED', CASE WHEN i % 2 = 0 THEN '${keyId}' ELSE 'another' END,
        CASE WHEN i < 30000 THEN '${teamId}' ELSE 'another' END, 'someone', 'r', now(), '[]'
      FROM generate_series(1, 100000) i`);
    await client.query('ANALYZE');
    const { prisma, log } = openPostgres(database.url);
    onTestFinished(() => prisma.$disconnect());
    const trail = new AuditLog(prisma, 'postgresql');
    await trail.lastRevisionOf(teamId);
    await trail.lastToScan({ teamId });
    await trail.list({ teamId, actor: 'x', last: 25_001n, limit: 51 });
    await trail.list({ teamId, keyId, limit: 51 });
    await trail.heads({ teamId, oldestFirst: true, after: 30_000n, limit: 100 });
    expect(log).toHaveLength(5);
    for (const { query, params } of log) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${query}`, JSON.parse(params));
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/AuditEntry_(?:team|key)Id_revision_idx/);
      expect(plan).not.toContain('AuditEntry_pkey');
    }
  });

  it('on PostgreSQL, a confirmation round reads rotated secrets by index, however many there are', async () => {
    const { service, database, stop } = await startService('postgresql');
    onTestFinished(stop);
    const teamId = randomUUID();
    await createKey(service.management, callerOf({ [teamId]: both }), { teamId, name: 'A key', env: 'live' });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`INSERT INTO "ApiKey" SELECT (jsonb_populate_record(k, jsonb_build_object(
      'id', gen_random_uuid(), 'digest', i, 'prefix', i, 'revision', i, 'importRevision', i, 'secretVersion', 2
    ))).* FROM "ApiKey" k, generate_series(1000, 20000) i`);
    await client.query(`INSERT INTO "RotatedSecret" ("digest", "keyId", "teamId", "version", "prefix", "pepperId", "rotatedAt")
      SELECT 'rotated ' || "digest", "id", "teamId", 1, "prefix", "pepperId", "createdAt" FROM "ApiKey"`);
    await client.query('ANALYZE; SET plan_cache_mode = force_generic_plan');
    const query = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => query.mockRestore());
    const feed = openPostgresKeyFeed(database.url);
    onTestFinished(() => feed.close());
    // It gets an error from a machine that is too busy to answer in time.
    await vi.waitFor(() => feed.read(19_990, []), { timeout: 30_000 });
    // The service beside it reads the log meanwhile.
    const sent = query.mock.calls.map(([one]) => one as unknown as pg.QueryConfig);
    const text = sent.map((one) => one.text).findLast((one) => one?.includes('"RotatedSecret"'));
    await client.query(`PREPARE round AS ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>("EXPLAIN EXECUTE round(19990, '{x}', '{}')");
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('RotatedSecret_pkey');
    expect(plan).not.toContain('Seq Scan on "RotatedSecret"');
  });
}

/** What SQLite sorts again although it is in order: at most a chunk, after its limit. */
const sortOfChunk = /USE TEMP B-TREE FOR string_agg\(ORDER BY\)|SCAN p"\}\n.*USE TEMP B-TREE FOR ORDER BY/g;

function parametersOf({ query }: Statement): number {
  return query.includes('?') ? query.split('?').length - 1 : new Set(query.match(/\$\d+/g)).size;
}
