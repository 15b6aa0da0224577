/** The export of a list of keys as CSV: all pages, without secrets. */
import { execute } from '../../api/execute.ts';
import { exportedKeys } from '../../api/operations.ts';
import { readPages } from '../../api/read-pages.ts';
import type { ExportedKeysQuery, KeyFilter, KeyOrder } from '../../generated/graphql.ts';
import { csvOf } from '../csv.ts';

type Key = ExportedKeysQuery['keys']['nodes'][number];

/** As many as the maximum cost of an operation permits. */
const pageSize = 100;

const fields = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  prefix: ({ prefix }) => prefix,
  env: ({ env }) => env,
  state: ({ state }) => state,
  external_id: ({ externalId }) => externalId,
  tags: ({ tags }) => tags.join('; '),
  scopes: ({ scopes }) => scopes.join(' '),
  allowed_ips: ({ allowedIps }) => allowedIps.join('; '),
  signing: ({ signingEnabled }) => signingEnabled,
  rate_limit: ({ rateLimit }) => (rateLimit == null ? null : `${rateLimit.limit} per ${rateLimit.windowSeconds} s`),
  created_at: ({ createdAt }) => createdAt,
  expires_at: ({ expiresAt }) => expiresAt,
  last_used_at: ({ lastUsedAt }) => lastUsedAt,
  disabled_at: ({ disabledAt }) => disabledAt,
  revoked_at: ({ revokedAt }) => revokedAt,
} satisfies Readonly<Record<string, (key: Key) => string | boolean | null | undefined>>;

interface Export {
  readonly teamId: string;
  readonly filter: KeyFilter;
  readonly orderBy: KeyOrder;
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

export async function exportKeys({ teamId, filter, orderBy, signal, onProgress }: Export): Promise<string> {
  const keys = await readPages(async (after) => {
    const variables = { teamId, filter, orderBy, first: pageSize, after };
    return (await execute(exportedKeys, variables, signal)).keys;
  }, onProgress);
  return csvOf([Object.keys(fields), ...keys.map((key) => Object.values(fields).map((read) => read(key)))]);
}
