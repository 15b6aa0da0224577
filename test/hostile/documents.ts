/** GraphQL documents that cost a lot, each in several sizes: whatever the limits are, the largest accepted ones are found. */
import { getIntrospectionQuery } from 'graphql';

export interface SizedDocument {
  readonly name: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface DocumentFamily {
  readonly name: string;
  /** The largest first. */
  readonly documents: readonly SizedDocument[];
}

const aliases = [15, 10, 7, 5, 4, 3, 2, 1];
const pageSizes = [500, 250, 100, 50];
const key =
  'id teamId name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt revision';
const entry = 'id action keyId teamId actor source requestId at changes { field before after }';
const search = 'filter: { search: "k9" }, orderBy: { field: NAME, direction: ASC }';

/** Every caller may send this; the response is large if the token names many teams. */
export const viewers: DocumentFamily = {
  name: 'viewer',
  documents: aliases.map((times) => ({
    name: `viewer × ${times}`,
    query: `{ ${Array.from({ length: times }, (_, i) => `a${i}: viewer { teams { id permissions } }`).join(' ')} }`,
    variables: {},
  })),
};

export function documentFamilies(teamId: string): readonly DocumentFamily[] {
  const repeated = (name: string, operation: string, field: string): DocumentFamily => ({
    name,
    documents: aliases.map((times) => aliased(`${name} × ${times}`, operation, field, times, { teamId })),
  });
  const paged = (name: string, field: (first: number) => string): DocumentFamily => ({
    name,
    documents: pageSizes
      .flatMap((first) => aliases.map((times) => ({ first, times })))
      .toSorted((a, b) => b.first * b.times - a.first * a.times)
      .map(({ first, times }) => aliased(`${name}, ${first} × ${times}`, 'query', field(first), times, { teamId })),
  });
  return [
    repeated('revokeKeys dry run', 'mutation', 'revokeKeys(teamId: $teamId, filter: {}) { count selection }'),
    repeated(
      'revokeKeys dry run, search',
      'mutation',
      'revokeKeys(teamId: $teamId, filter: { search: "k" }) { count selection }',
    ),
    paged('keys', (first) => `keys(teamId: $teamId, first: ${first}) { nodes { ${key} } }`),
    paged(
      'keys, search',
      (first) =>
        `keys(teamId: $teamId, first: ${first}, ${search}) { totalCount totalCountIsPartial nodes { ${key} } }`,
    ),
    paged('auditLog', (first) => `auditLog(teamId: $teamId, first: ${first}) { edges { cursor node { ${entry} } } }`),
    repeated('totalCount', 'query', 'keys(teamId: $teamId, first: 1, filter: { search: "k" }) { totalCount }'),
    repeated(
      'keysOverview',
      'query',
      'keysOverview(teamId: $teamId) { active expired expiringSoon neverUsed unusedFor90Days }',
    ),
    { name: 'introspection', documents: aliases.map(introspection) },
    { name: 'nested fragments', documents: [160, 80, 40, 20, 10].map(nestedFragments) },
  ];
}

function aliased(
  name: string,
  operation: string,
  field: string,
  times: number,
  variables: SizedDocument['variables'],
): SizedDocument {
  const fields = Array.from({ length: times }, (_, i) => `a${i}: ${field}`);
  return { name, query: `${operation} ($teamId: UUID!) { ${fields.join('\n')} }`, variables };
}

/** The query of common tools, with its fields several times. */
function introspection(times: number): SizedDocument {
  const whole = getIntrospectionQuery();
  const [schema = '', fragments = ''] = [whole.slice(whole.indexOf('__schema'), whole.indexOf('fragment'))]
    .map((text) => text.slice(0, text.lastIndexOf('}')))
    .concat(whole.slice(whole.indexOf('fragment')));
  const fields = Array.from({ length: times }, (_, i) => (times === 1 ? schema : `a${i}: ${schema}`));
  return { name: `introspection × ${times}`, query: `query { ${fields.join('\n')} }\n${fragments}`, variables: {} };
}

/** A short document with `width`³ visits of fields. */
function nestedFragments(width: number): SizedDocument {
  const spread = (name: string) => `{ ${`...${name} `.repeat(width)} }`;
  const query = `query ${spread('a')} fragment a on Query ${spread('b')} fragment b on Query ${spread('c')}
    fragment c on Query { __typename }`;
  return { name: `nested fragments, ${width}³`, query, variables: {} };
}
