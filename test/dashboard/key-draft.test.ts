/** Drafts of keys: what the forms of the dashboard edit, and what they send. */
import { expect, it } from 'vitest';
import { sourcesIn, sourcesProblem } from '../../src/dashboard/key-form/allowed-sources.ts';
import type { KeyDraft, SettingValues } from '../../src/dashboard/key-form/fields.ts';
import { draftOf, problemsOf, valuesOf, withLink } from '../../src/dashboard/key-form/key-draft.ts';
import { changeTemplate, inputOf, startOf } from '../../src/dashboard/keys/create/new-key.ts';

const dayMs = 86_400_000;
const full: SettingValues = {
  name: 'Restricted',
  description: 'Used by the nightly build',
  allowedIps: ['10.0.0.0/8 # ours', '203.0.113.9'],
  expiresAt: '2090-01-01T00:00:00.000Z',
  scopes: ['orders:read'],
  externalId: 'customer-7',
  responsible: 'ada@example.com',
  tags: ['nightly'],
  metadata: { plan: { list: [1, 'two'] } },
  rateLimit: { limit: 5, windowSeconds: 90 },
};
const bare: SettingValues = {
  name: 'A key',
  description: null,
  allowedIps: [],
  expiresAt: null,
  scopes: [],
  externalId: null,
  responsible: null,
  tags: [],
  metadata: null,
  rateLimit: null,
};

/** The settings of a draft that have a problem. */
const invalid = (draft: Partial<KeyDraft>) =>
  Object.entries(problemsOf({ ...draftOf(bare), ...draft })).flatMap(([setting, problem]) =>
    problem === null ? [] : [setting],
  );

it.each([full, bare])('a draft of $name has the settings of its key, and no problem', (values) => {
  expect(valuesOf(draftOf(values))).toEqual(values);
  expect(invalid(draftOf(values))).toEqual([]);
});

it('leaves out the white space around a text, and takes a text without others for nothing', () => {
  const draft = { ...draftOf(full), name: ' Renamed ', metadata: ' ', externalId: ' ', description: '' };
  expect(valuesOf(draft)).toEqual({ ...full, name: 'Renamed', metadata: null, externalId: null, description: null });
});

it.each([
  { name: ' ' },
  { name: 'a\u200bb' },
  { description: '\u202e' },
  { externalId: '\u3164' },
  { tags: ['a', '\u00ad'] },
  { allowedIps: '10.0.0.1 # \u200b' },
  { metadata: '[1]' },
  { metadata: '{' },
  { metadata: '{"id": 750727362669608961}' },
  { rateLimit: { limit: 0, windowSeconds: 60 } },
  { allowedIps: '010.0.0.1' },
  { expiresAt: '2020-01-31' },
  { expiresAt: 'soon' },
])('names the setting that the server would reject: %j', (draft) => {
  expect(invalid(draft)).toEqual(Object.keys(draft));
});

it('an empty form lacks only a name', () => {
  expect(invalid(draftOf())).toEqual(['name']);
  expect(valuesOf({ ...draftOf(), name: 'A key' })).toEqual(bare);
});

it('an expiry in days is the same moment for all attempts to create a key, as their idempotency key requires', () => {
  const { draft } = startOf(undefined, new URLSearchParams('expires=30'));
  expect(inputOf('a-team', draft, 0)).toMatchObject({ expiresAt: new Date(30 * dayMs).toISOString() });
  expect(inputOf('a-team', draft, 0)).toEqual(inputOf('a-team', draft, 0));
});

it('a link prepares every setting', () => {
  const link =
    'name=Restricted&description=Used by the nightly build&source=10.0.0.0/8 %23 ours&source=203.0.113.9&expires=7&scope=orders:read&externalId=customer-7&responsible=ada@example.com' +
    '&tag=nightly&metadata={"plan":{"list":[1,"two"]}}&limit=5&window=90';
  const draft = withLink(draftOf(), new URLSearchParams(link));
  expect(draft.expiresAt).toBe(7);
  expect(valuesOf({ ...draft, expiresAt: null })).toEqual({ ...full, expiresAt: null });
  expect(withLink(draftOf(full), new URLSearchParams('expires=soon&limit=x'))).toEqual({
    ...draftOf(full),
    rateLimit: { limit: Number.NaN, windowSeconds: 90 },
  });
  for (const expires of ['2090-01-01', 'in 6 months'])
    expect(withLink(draftOf(), new URLSearchParams({ expires })).expiresAt).toBe(expires);
  for (const window of ['x', '', '0', '1.5', '86401']) {
    expect(withLink(draftOf(full), new URLSearchParams({ window })), window).toEqual(draftOf(full));
  }
});

it('a template leaves nothing of the one before it, and keeps what no template has', () => {
  const start = startOf(undefined, new URLSearchParams('template=service'));
  expect(start.draft).toMatchObject({ tags: ['service'], signing: true });
  const edited = { ...start.draft, name: 'Kept', allowedIps: '10.0.0.1' };
  const mobile = changeTemplate(edited, start.origin, 'mobile');
  expect(mobile).toMatchObject({ tags: ['mobile'], signing: false, rateLimit: { limit: 60, windowSeconds: 60 } });
  const job = changeTemplate(mobile, start.origin, 'ci');
  expect(job).toMatchObject({ name: 'Kept', allowedIps: '10.0.0.1', tags: ['ci'], rateLimit: { limit: '' } });
  expect(changeTemplate(job, start.origin, '')).toMatchObject({ name: 'Kept', allowedIps: '', tags: [] });
});

it('keeps comments and order, and takes empty lines for nothing', () => {
  expect(sourcesIn(' 10.0.0.0/8  # our network\n\n\texample.com\r\n')).toEqual([
    '10.0.0.0/8  # our network',
    'example.com',
  ]);
  expect(sourcesProblem('')).toBeNull();
});

it('names the line that is wrong as people count, with the server’s own words', () => {
  expect(sourcesProblem('10.0.0.1\n\n10.0.0.1/8\n# only a comment')?.split('\n')).toEqual([
    'Line 3 must have no bits set behind the prefix: the network is 10.0.0.0/8',
    'Line 4 must be an IP address, a CIDR range or a host name',
  ]);
});

it('names the first line above the limit, and the first five problems', () => {
  const lines = Array.from({ length: 102 }, (_, index) => `10.0.0.${index}`);
  expect(sourcesProblem(lines.slice(0, 100).join('\n'))).toBeNull();
  expect(sourcesProblem(lines.join('\n'))).toBe('Line 101 is one too many: there may be at most 100 sources');
  const hosts = Array.from({ length: 17 }, (_, i) => `host-${i}.example`);
  expect(sourcesProblem(hosts.slice(1).join('\n'))).toBeNull();
  expect(sourcesProblem(hosts.join('\n'))).toBe(
    'The list must have at most 16 host names, and has 17: use addresses or ranges for the others',
  );
  expect(sourcesProblem('10.0.0.1/8\n'.repeat(7))?.split('\n').slice(4)).toEqual([
    'Line 5 must have no bits set behind the prefix: the network is 10.0.0.0/8',
    'and 2 more',
  ]);
});
