/**
 * The most expensive GraphQL documents that are accepted, each close to one of the limits, and teams in which they are
 * expensive. None may use more than 100 ms of processor time or 1 MB of answer.
 */
import { randomBytes } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { limits } from '../../src/domain/limits.ts';

export interface GraphQLDocument {
  readonly name: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Sends one document and returns its `data`. Throws when it is rejected. */
export type Run = (document: Omit<GraphQLDocument, 'name'>) => Promise<ReturnType<typeof JSON.parse>>;

const keysPerImport = 200;
const longNames = 'k'.repeat(90);

/** As much as a body of 64 kB can take. */
function longList(mark: string): string[] {
  return Array.from({ length: 80 }, (_, i) => `10.0.0.${i} # ${'€'.repeat(236)}${mark}`);
}

export interface ExpensiveTeams {
  /** Has 10,000 keys. */
  readonly full: string;
  /** Has few keys, with allow-lists and audit entries as long as they can be. */
  readonly long: string;
  /** Of the keys of the latter. The last one has the maximum of host names in place of addresses, and this prefix. */
  readonly keyIds: readonly string[];
  readonly prefix: string;
}

/** Fills two teams, on which the session must have both permissions. */
export async function fillExpensiveTeams(run: Run, full: string, long: string, keys = 10_000): Promise<ExpensiveTeams> {
  await importKeys(run, full, keys);
  await importKeys(run, long, 30);
  const listed = await run({
    query: 'query ($t: UUID!) { keys(teamId: $t, first: 30) { nodes { id prefix } } }',
    variables: { t: long },
  });
  const made: readonly { readonly id: string; readonly prefix: string }[] = listed.keys.nodes;
  const hosts = Array.from({ length: limits.allowedHosts }, (_, i) => `host-${i}.invalid`);
  for (const [i, { id }] of made.entries()) {
    for (const allowedIps of [longList('a'), i === made.length - 1 ? hosts : longList('b')]) {
      await run({
        query: 'mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { id } } }',
        variables: { id, input: { allowedIps } },
      });
    }
  }
  return { full, long, keyIds: made.map(({ id }) => id), prefix: made.at(-1)?.prefix ?? '' };
}

async function importKeys(run: Run, teamId: string, keys: number): Promise<void> {
  for (let made = 0; made < keys; made += keysPerImport) {
    const batch = Array.from({ length: Math.min(keysPerImport, keys - made) }, (_, i) => ({
      digest: randomBytes(32).toString('hex'),
      name: `${longNames}${made + i}`,
      env: 'live',
    }));
    await run({
      query: 'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { dryRun } }',
      variables: { t: teamId, k: batch },
    });
  }
}

const key =
  'id teamId name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt revision';
const entry = 'id action keyId teamId actor source requestId at changes { field before after }';

const times = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field(i)}`).join(' ');

export function expensiveDocuments({ full, long, keyIds, prefix }: ExpensiveTeams): GraphQLDocument[] {
  const now = Date.now();
  const [from, to] = [now - 31 * 86_400_000, now].map((time) => new Date(time).toISOString());
  const digests = Array.from({ length: keysPerImport }, () => randomBytes(32).toString('hex'));
  const named = digests.map((digest, i) => ({ digest, name: `Key ${i}`, env: 'live' }));
  // So that something changes whenever the document is sent.
  const mark = randomBytes(4).toString('hex').slice(0, 4);
  const month = { t: full, from, to };
  const byName = 'orderBy: { field: NAME, direction: ASC }';
  const search = `keys(teamId: $t, first: 1, filter: $f, ${byName}) { totalCount nodes { id } }`;
  const counts = '{ apiKey { id name } count counts { code count } }';
  const update = (i: number) => `updateKey(id: "${keyIds[i]}", input: $input) { apiKey { id } }`;
  const type = (of: string) => `{ name ofType { name ofType { name ofType ${of} } } }`;
  const documents: readonly [name: string, query: string, variables?: GraphQLDocument['variables']][] = [
    [
      'keys: a page of 500 with all fields and the total',
      `query ($t: UUID!) { keys(teamId: $t, first: 500) { totalCount nodes { ${key} } pageInfo { endCursor } } }`,
      { t: full },
    ],
    [
      'keys: searches without a match, by name, with totals',
      `query ($t: UUID!, $f: KeyFilter!) { ${times(2, () => search)} }`,
      { t: full, f: { search: `${'k'.repeat(60)}z`, neverUsed: true } },
    ],
    [
      'keys: a page of 500 by name',
      `query ($t: UUID!) { keys(teamId: $t, first: 500, ${byName}) { nodes { id name lastUsedAt } } }`,
      { t: full },
    ],
    [
      'keys: pages of long allow-lists',
      `query ($t: UUID!) { ${times(6, () => 'keys(teamId: $t, first: 2) { nodes { allowedIps } }')} }`,
      { t: long },
    ],
    ['key: long allow-lists', `{ ${times(12, (i) => `key(id: "${keyIds[i]}") { allowedIps }`)} }`],
    [
      'auditLog: a page of 500 with all fields',
      `query ($t: UUID!) { auditLog(teamId: $t, first: 500) { nodes { ${entry} } pageInfo { endCursor } } }`,
      { t: full },
    ],
    [
      'auditLog: pages of long entries',
      `query ($t: UUID!) { ${times(3, () => 'auditLog(teamId: $t, first: 2) { nodes { changes { before after } } }')} }`,
      { t: long },
    ],
    [
      'auditLog: pages that no entry meets',
      `query ($t: UUID!) { ${times(4, () => 'auditLog(teamId: $t, first: 1, actor: "nobody") { nodes { id } }')} }`,
      { t: full },
    ],
    [
      'rejectedKeys: a month',
      `query ($t: UUID!, $from: DateTime!, $to: DateTime!) {
        ${times(2, () => `rejectedKeys(teamId: $t, from: $from, to: $to) ${counts}`)}
      }`,
      month,
    ],
    [
      'teamUsage: a month',
      `query ($t: UUID!, $from: DateTime!, $to: DateTime!) {
        teamUsage(teamId: $t, from: $from, to: $to) { hour code count }
      }`,
      month,
    ],
    ['keysOverview', `query ($t: UUID!) { ${times(3, () => 'keysOverview(teamId: $t) { active }')} }`, { t: full }],
    [
      'explainVerification: the maximum of host names',
      `query ($input: ExplainVerificationInput!) {
        ${times(13, () => 'explainVerification(input: $input) { code checks { name outcome explanation } }')}
      }`,
      { input: { teamId: long, prefix, sourceIp: '192.0.2.1' } },
    ],
    [
      'revokeKeys: a dry run with a search',
      'mutation ($t: UUID!) { revokeKeys(teamId: $t, filter: { search: "k", neverUsed: true }) { count selection } }',
      { t: full },
    ],
    [
      'importKeys: as many as one call takes, dry run',
      `mutation ($t: UUID!, $k: [ImportKeyInput!]!) {
        importKeys(teamId: $t, keys: $k, dryRun: true) { results { outcome apiKey { id prefix } } }
      }`,
      { t: long, k: named },
    ],
    [
      'updateKey: ten keys with long allow-lists',
      `mutation ($input: UpdateKeyInput!) { ${times(10, update)} }`,
      { input: { name: `Changed ${mark}` } },
    ],
    [
      'updateKey: long allow-lists',
      `mutation ($input: UpdateKeyInput!) { ${times(4, update)} }`,
      { input: { allowedIps: longList(mark) } },
    ],
    ['introspection of common tools', getIntrospectionQuery()],
    [
      'introspection of fields and their arguments',
      `{ __schema { types { name description fields {
        name description
        args { name description type { name ofType { name inputFields { name description } } } }
        type ${type('{ name fields { name description } }')}
      } } } }`,
    ],
    [
      'fields that must be compared with one another',
      `{ ${Array.from({ length: 110 }, () => 'viewer { subject }').join(' ')} }`,
    ],
  ];
  return documents.map(([name, query, variables = {}]) => ({ name, query, variables }));
}
