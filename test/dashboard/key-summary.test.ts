/** The summary of a key, which people paste into tickets and chats. */
import { expect, it } from 'vitest';
import type { KeyDetailsFragment } from '../../src/dashboard/generated/graphql.ts';
import { summaryOf } from '../../src/dashboard/key/summary/summary.ts';

const apiKey: KeyDetailsFragment = {
  id: '0b9f8f0e-5c1a-4c5e-9c53-6f2f4d1a7b10',
  teamId: '6d2b0c7e-5c1a-4c5e-9c53-6f2f4d1a7b10',
  name: 'Shop',
  env: 'live',
  prefix: 'lk_live_4fJx81Qz',
  state: 'DISABLED',
  description: null,
  allowedIps: ['192.0.2.0/24 # office'],
  allowedIpsCount: 1,
  createdBy: 'ada@example.com',
  expiresAt: null,
  scopes: [],
  externalId: 'acme',
  responsible: 'ada',
  policyViolations: [],
  tags: [],
  metadata: null,
  rateLimit: null,
  tripwire: false,
  signingEnabled: false,
  lastUsedAt: '2026-11-29T02:09:59.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  revokedAt: null,
  disabledAt: '2026-11-29T02:12:00.000Z',
  rotatedAt: null,
  revision: 'r',
  previousPrefix: null,
  previousSecretExpiresAt: null,
  previousSigningSecretExpiresAt: null,
  leak: {
    secret: 'CURRENT',
    prefix: 'lk_live_4fJx81Qz',
    reportedAt: '2026-11-29T02:10:00.000Z',
    reporter: 'github',
    source: 'commit',
    url: 'https://github.com/octocat/shop',
    places: 2,
  },
};
const link = 'https://keys.example.com/#/teams/t/keys/k';
const noSources = { observedSources: [], unlistedSources: [] };

const entry = (action: 'KEY_CREATED' | 'KEY_DISABLED', at: string, reason?: string) => ({
  id: at,
  action,
  keyId: apiKey.id,
  keyName: 'Shop',
  actor: 'ada@example.com',
  actorKind: 'SESSION' as const,
  source: '192.0.2.1',
  requestId: 'x',
  at,
  changes: reason === undefined ? [] : [{ field: 'reason', before: null, after: reason, added: null, removed: null }],
  details: null,
});
const trailOf = (...nodes: readonly ReturnType<typeof entry>[]) => ({
  nodes: [...nodes],
  pageInfo: { hasNextPage: false, endCursor: null },
});
const summary = (more: Partial<Parameters<typeof summaryOf>[0]> = {}) =>
  summaryOf({ apiKey, state: 'DISABLED', link, sources: noSources, trail: trailOf(), ...more });

it('has what the key is, its leak, where and when it was used, and what was done, oldest first', () => {
  const sources = {
    observedSources: [
      {
        address: '192.0.2.7',
        secret: 'CURRENT' as const,
        firstAt: '2026-03-01T00:00:00.000Z',
        lastAt: '2026-11-29T02:09:59.000Z',
        counts: [{ code: 'VALID' as const, count: 3 }],
        acceptedByDay: [],
        rejectedByDay: [],
      },
      {
        address: '203.0.113.9',
        secret: 'CURRENT' as const,
        firstAt: '2026-02-01T00:00:00.000Z',
        lastAt: '2026-11-29T02:09:59.000Z',
        counts: [{ code: 'SOURCE_NOT_ALLOWED' as const, count: 3 }],
        acceptedByDay: [],
        rejectedByDay: [],
      },
    ],
    unlistedSources: [],
  };
  const trail = trailOf(
    entry('KEY_DISABLED', '2026-11-29T02:12:00.000Z', 'leaked'),
    entry('KEY_CREATED', '2026-01-01T00:00:00.000Z'),
  );
  expect(summary({ sources, trail })).toBe(`**Shop** (\`lk_live_4fJx81Qz\`, live)

- Key: \`0b9f8f0e-5c1a-4c5e-9c53-6f2f4d1a7b10\`, <${link}>
- State: disabled, since 2026-11-29 02:12 UTC
- Leaked: the current secret \`lk_live_4fJx81Qz\`, reported 2026-11-29 02:10 UTC by GitHub, commit, \`https://github.com/octocat/shop\`, and in 1 more place
- Owner: acme
- Allowed sources: \`192.0.2.0/24 # office\`
- First use on record: 2026-03-01 00:00 UTC
- Last use: 2026-11-29 02:09 UTC
- Used from: \`192.0.2.7\` (last 2026-11-29 02:09 UTC)
- What was done:
  - 2026-01-01 00:00 UTC: Created by ada@example.com
  - 2026-11-29 02:12 UTC: Disabled by ada@example.com: Reason: “leaked”
`);
});

it('has no secret, also if someone wrote one into a reason, a name or the place of a leak', () => {
  const secret = `lk_live_4fJx81Qz_${'a1B2c3D4e5'.repeat(5)}`;
  const leak = { ...(apiKey.leak as NonNullable<typeof apiKey.leak>), url: `https://example.com/?key=${secret}` };
  const text = summary({
    apiKey: { ...apiKey, name: `Shop ${secret}`, leak },
    trail: trailOf(entry('KEY_DISABLED', '2026-11-29T02:12:00.000Z', `${secret}, ${secret.replace('z_', 'z')}`)),
  });
  expect(text).not.toContain('a1B2c3');
  expect(text).toContain('lk_live_4fJx81Qz…');
});

it('shows what others wrote as text: no link, no HTML, no line of their own', () => {
  const name = '[x](https://evil.example) <img src=x>\n# y `z`';
  const firstOf = (name: string) => summary({ apiKey: { ...apiKey, name } }).split('\n')[0];
  expect(firstOf(name)).toBe('**`[x](https://evil.example) <img src=x> # y z`** (`lk_live_4fJx81Qz`, live)');
  expect(firstOf('@channel www.evil.example')).toContain('`@channel www.evil.example`');
  expect(firstOf('[x](y) <b> `z`')).toContain('**\\[x\\](y) \\<b\\> \\`z\\`**');
});

it('says what is not known', () => {
  const text = summary({ apiKey: { ...apiKey, lastUsedAt: null, leak: null, allowedIps: [] }, trail: null });
  expect(text).toContain('- Last use: never\n- What was done: the history could not be read\n');
  expect(text).toContain('- Allowed sources: every source\n');
  expect(text).not.toContain('Leaked');
});
