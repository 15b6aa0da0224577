/** The defaults of a policy in forms: the one that sets them, and the one of a new key. */
import { expect, it } from 'vitest';
import { changeTemplate, givenAfter, inputOf, startOf, withDefaults } from '../../src/dashboard/keys/create/new-key.ts';
import { draftOf, type KeyPolicy, inputOf as policyInputOf } from '../../src/dashboard/policy/policy-draft.ts';
import { noRules } from '../../src/domain/policy/key-policy.ts';

const defaults: KeyPolicy['defaults'] = {
  lifetimeSeconds: 20 * 86_400,
  allowedIps: ['10.0.0.0/8 # the office', '::1'],
  scopes: ['orders:read'],
  rateLimit: { limit: 10, windowSeconds: 60 },
};
const none: KeyPolicy['defaults'] = { lifetimeSeconds: null, allowedIps: [], scopes: [], rateLimit: null };
const now = Date.parse('2030-01-01T00:00:00Z');
const { allowedIps, scopes, rateLimit } = defaults;
const asDefaults = { expiresAt: '2030-01-21T00:00:00.000Z', allowedIps, scopes, rateLimit };

/** What the form sends that a link opens, if the user enters only a name, or chooses a template first. */
function sent(link: string, policy: KeyPolicy['defaults'] | undefined, template?: string) {
  const start = startOf(undefined, new URLSearchParams(link));
  const draft = template === undefined ? start.draft : changeTemplate(start.draft, start.origin, template);
  const given = template === undefined ? start.given : givenAfter(template, start, (name) => start.given[name]);
  return inputOf(
    'team',
    withDefaults(draft, policy, (name) => given[name]),
    now,
  );
}

it('a new key gets the defaults of the policy for what nobody gave', () => {
  expect(sent('', defaults)).toMatchObject(asDefaults);
  expect(sent('', none)).toEqual(sent('', undefined));
});

it('what a link or a template gives stays, and the rest has the defaults', () => {
  expect(sent('expires=7&scope=b', defaults)).toMatchObject({
    ...asDefaults,
    expiresAt: '2030-01-08T00:00:00.000Z',
    scopes: ['b'],
  });
  expect(sent('source=::1&limit=5', defaults)).toMatchObject({
    ...asDefaults,
    allowedIps: ['::1'],
    rateLimit: { limit: 5, windowSeconds: 60 },
  });
  const partner = { expiresAt: '2031-01-01T00:00:00.000Z', rateLimit: { limit: 600, windowSeconds: 60 } };
  expect(sent('', defaults, 'partner')).toMatchObject({ ...asDefaults, ...partner });
  expect(sent('template=partner', defaults)).toMatchObject({ ...asDefaults, ...partner });
  expect(sent('template=partner', defaults, '')).toMatchObject(asDefaults);
  expect(sent('scope=b', defaults, 'ci')).toMatchObject({ scopes: ['b'], allowedIps });
});

it('the form of a policy sends the defaults that it shows, so that saving a rule keeps them', () => {
  const policy: KeyPolicy = {
    ...{ teamId: 'team', env: 'live', ...noRules, scopes: null, effective: { ...noRules, scopes: null } },
    ...{ defaults, enforceAfter: null, changedAt: null },
  };
  expect(policyInputOf(policy, draftOf(policy)).defaults).toEqual(defaults);
  const empty = { ...policy, defaults: none };
  expect(policyInputOf(empty, draftOf(empty)).defaults).toEqual(none);
  const edited = { ...draftOf(empty), defaultLifetime: 20, defaultSources: allowedIps.join('\n') };
  expect(policyInputOf(empty, edited).defaults).toEqual({ ...none, lifetimeSeconds: 20 * 86_400, allowedIps });
});
