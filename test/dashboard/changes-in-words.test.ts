/** Changes of a key in words. */
import { expect, it } from 'vitest';
import { inWords, nameOf, sentencesOf } from '../../src/dashboard/key/history/changes-in-words.ts';
import { actions, type DetailSchema } from '../../src/domain/event/event-types.ts';
import { noDefaults } from '../../src/domain/policy/key-defaults.ts';
import { policyRules } from '../../src/domain/policy/key-policy.ts';

it.each([
  [{ field: 'name', before: 'Old', after: 'New' }, 'Name: changed from “Old” to “New”'],
  [{ field: 'name', before: null, after: 'New' }, 'Name: “New”'],
  [{ field: 'externalId', before: 'x', after: null }, 'External ID: removed, it was x'],
  [
    { field: 'allowedIps', before: null, after: null, added: ['10.0.0.0/8'], removed: ['10.0.0.1', '10.0.0.2'] },
    'Allowed sources: added 10.0.0.0/8; removed 10.0.0.1, 10.0.0.2',
  ],
  [{ field: 'scopes', before: null, after: null, added: [], removed: [] }, 'Scopes: changed the order'],
  [{ field: 'tags', before: ['a', 'b'], after: ['b', 'c'] }, 'Tags: added c; removed a'],
  [
    { field: 'rateLimit', before: { limit: 5, windowSeconds: 60 }, after: null },
    'Rate limit: removed, it was 5 per minute',
  ],
  [{ field: 'reason', before: null, after: 'leaked' }, 'Reason: “leaked”'],
])('%j: %s', (change, sentence) => {
  expect(inWords([change])).toEqual([sentence]);
});

it('says nothing about empty lists of a new key, and what the action says already', () => {
  expect(inWords([{ field: 'scopes', before: null, after: [] }])).toEqual([]);
  expect(inWords([{ field: 'disabledAt', before: null, after: '2026-01-01T00:00:00.000Z' }])).toEqual([]);
});

it.each([
  [
    { leak: { source: 'github', url: 'https://example.com/x?a=<b>', action: 'DISABLE' } },
    ['Found in: github', 'Found at: https://example.com/x?a=<b>', 'For leaked keys: DISABLE'],
  ],
  [
    { webhook: { id: 'an-id', origin: 'https://example.com' }, reason: 'GONE' },
    ['Webhook: https://example.com', 'Reason: “GONE”'],
  ],
  [{ lastUsedAt: null, days: 90 }, ['Last use: none', 'Days: 90']],
  [null, []],
])('the details %j are described after the changes', (details, sentences) => {
  const changes = [{ field: 'tags', before: ['a'], after: ['b'] }];
  expect(sentencesOf({ changes, details })).toEqual(['Tags: added b; removed a', ...sentences]);
});

it('every part of a policy is in words, with its unit', () => {
  const fields = [...policyRules, ...Object.keys(noDefaults).map((name) => `defaults.${name}`), 'enforceAfter'];
  expect(fields.filter((field) => nameOf(field) === field)).toEqual([]);
  const changes = [
    { field: 'maxLifetimeSeconds', before: null, after: 30 * 86_400 },
    { field: 'requireSigning', before: false, after: true },
    { field: 'maxRateLimit', before: '{"limit":50,"windowSeconds":60}', after: null },
    { field: 'defaults.rateLimit', before: null, after: '{"limit":10,"windowSeconds":3600}' },
    { field: 'defaults.scopes', before: [], after: ['orders:read'] },
  ];
  expect(inWords(changes)).toEqual([
    'Longest lifetime: 30 days',
    'Require signed requests: changed from no to yes',
    'Highest rate limit: removed, it was 50 per minute',
    'Default rate limit: 10 per hour',
    'Default scopes: added orders:read',
  ]);
});

it('every detail of an event that a team can see has a name', () => {
  const pathsOf = (details: Readonly<Record<string, DetailSchema>>, path = ''): string[] =>
    Object.entries(details).flatMap(([name, schema]) => {
      if (schema.properties !== undefined) return pathsOf(schema.properties, `${path}${name}.`);
      return path !== '' && name === 'id' ? [] : [path + name];
    });
  const paths = Object.values(actions).flatMap((action) =>
    'details' in action && !('audience' in action) ? pathsOf(action.details) : [],
  );
  expect(paths).toContain('managementKeys');
  expect(paths.filter((path) => nameOf(path) === path)).toEqual([]);
});
