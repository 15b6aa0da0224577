/** The comparisons of `ruleOf` (domain/policy/key-policy.ts) in the SQL of both databases. The key's row is `k`. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { type PolicyRules, policyRules } from '../../domain/policy/key-policy.ts';
import type { TeamRules } from '../../domain/policy/team-policies.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { isEmptyList, textsIn } from '../json-rows.ts';

type Condition = (rules: PolicyRules, provider: DatabaseProvider, now: Date) => Sql | null;

const issuedAt = raw('COALESCE(k."rotatedAt", k."createdAt")');

const conditions: Readonly<Record<keyof PolicyRules, Condition>> = {
  requireExpiry: ({ requireExpiry }) => (requireExpiry ? raw('k."expiresAt" IS NULL') : null),
  maxLifetimeSeconds: ({ maxLifetimeSeconds: max }, provider) =>
    max === null ? null : sql`(k."expiresAt" IS NULL OR k."expiresAt" > ${afterIssue(provider, max)})`,
  requireAllowedIps: ({ requireAllowedIps }, provider) =>
    requireAllowedIps ? sql`(${isEmptyList(provider, 'allowedIps')} OR ${hasWholeNetwork(provider)})` : null,
  requireSigning: ({ requireSigning }) => (requireSigning ? raw('k."signingEnvelope" IS NULL') : null),
  maxSecretAgeSeconds: ({ maxSecretAgeSeconds: max }, _, now) =>
    max === null ? null : sql`${issuedAt} < ${new Date(now.getTime() - max * 1000)}`,
  scopes: ({ scopes }, provider) => (scopes === null ? null : hasOther(provider, scopes)),
  // As in `isAtMost`: a product needs more than the 32 bits of the columns.
  maxRateLimit: ({ maxRateLimit: max }) =>
    max === null
      ? null
      : sql`(k."rateLimit" IS NULL OR CAST(k."rateLimit" AS BIGINT) * ${raw(String(max.windowSeconds))}
          > CAST(k."rateLimitWindowSeconds" AS BIGINT) * ${raw(String(max.limit))})`,
};

/** Selects the keys that violate a rule of their environment. */
export function violates(provider: DatabaseProvider, rules: TeamRules, now: Date): Sql {
  const ofEnvs = keyEnvs.flatMap((env) => {
    const violated = policyRules.flatMap((rule) => conditions[rule](rules[env], provider, now) ?? []);
    return violated.length === 0 ? [] : [sql`(CAST(k."env" AS TEXT) = ${env} AND (${join(violated, ' OR ')}))`];
  });
  return ofEnvs.length === 0 ? raw('(1 = 0)') : sql`(${join(ofEnvs, ' OR ')})`;
}

/** SQLite has dates as text, in the form of `storedDate`. */
function afterIssue(provider: DatabaseProvider, seconds: number): Sql {
  // A checked integer, not a parameter: PostgreSQL would have to guess its type.
  return provider === 'postgresql'
    ? sql`${issuedAt} + ${raw(`make_interval(secs => ${seconds})`)}`
    : sql`strftime('%Y-%m-%dT%H:%M:%f+00:00', ${issuedAt}, ${raw(`'+${seconds} seconds'`)})`;
}

/**
 * Whether one source is a network of all IPv4 or all public IPv6 addresses, however it is written. SQL does not add up
 * several networks: a list from before the policy that covers all addresses only together is not found.
 */
function hasWholeNetwork(provider: DatabaseProvider): Sql {
  const sources =
    provider === 'postgresql'
      ? `SELECT lower(rtrim(split_part(entry, '#', 1))) AS source FROM jsonb_array_elements_text(k."allowedIps") AS t(entry)`
      : `SELECT lower(rtrim(substr("value", 1, instr("value" || '#', '#') - 1))) AS source FROM json_each(k."allowedIps")`;
  const whole = wholeNetworks.map((pattern) => `source LIKE '${pattern}'`).join(' OR ');
  return raw(`EXISTS (SELECT 1 FROM (${sources}) AS sources WHERE ${whole})`);
}

/** Every list has valid networks only: no bits are set behind the prefix. */
const wholeNetworks = [
  '%/0',
  // ::/1 and ::/2, with or without zeros, and 2000::/3.
  ...['::%/1', '0%:%/1', '::%/2', '0%:%/2', '2%:%/3'],
  // ::ffff:0.0.0.0/96.
  ...['::ffff:%/96', '0%:ffff:%/96'],
] as const;

function hasOther(provider: DatabaseProvider, permitted: NonNullable<PolicyRules['scopes']>): Sql {
  const names = permitted.map(({ name }) => name);
  return provider === 'postgresql'
    ? sql`NOT k."scopes" <@ ${JSON.stringify(names)}::jsonb`
    : sql`EXISTS (SELECT 1 FROM json_each(k."scopes") t WHERE t."value" NOT IN (${textsIn(provider, names)}))`;
}
