/** Drafts of keys: what the forms of the dashboard edit, and what they send. */
import { expect, it } from 'vitest';
import { problemOf, sourcesIn } from '../../src/dashboard/key-settings/allowed-sources.ts';
import {
  changesOf,
  draftOf,
  emptyDraft,
  problemsOf,
  valuesOf,
  withLink,
} from '../../src/dashboard/key-settings/key-draft.ts';
import type { SettingValues } from '../../src/dashboard/key-settings/setting-fields.ts';
import { changeTemplate, startOf } from '../../src/dashboard/keys/create/new-key.ts';
import { settingNames } from '../../src/domain/key/settings.ts';

const dayMs = 86_400_000;
const full: SettingValues = {
  name: 'Restricted',
  description: 'Used by the nightly build',
  allowedIps: ['10.0.0.0/8 # ours', '203.0.113.9'],
  expiresAt: '2090-01-01T00:00:00.000Z',
  scopes: ['orders:read'],
  externalId: 'customer-7',
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
  tags: [],
  metadata: null,
  rateLimit: null,
};

it.each([full, bare])('a draft of $name has the settings of its key', (values) => {
  expect(valuesOf(draftOf(values))).toEqual(values);
  expect(changesOf(draftOf(values), values, settingNames)).toEqual({});
});

it('sends only what was changed, and nothing for other white space', () => {
  const draft = { ...draftOf(full), name: ' Renamed ', metadata: '{"plan":{"list":[1,"two"]}}', externalId: ' ' };
  expect(changesOf(draft, full, settingNames)).toEqual({ name: 'Renamed', externalId: null });
  expect(changesOf(draft, full, ['metadata', 'name'])).toEqual({ name: 'Renamed' });
});

it('sends nothing if a setting that was edited has a problem; one that was not edited may have one', () => {
  const expired = { ...bare, expiresAt: '2020-01-01T00:00:00.000Z' };
  expect(changesOf({ ...draftOf(expired), name: 'New' }, expired, settingNames)).toEqual({ name: 'New' });
  for (const problem of [
    { name: ' ' },
    { metadata: '[1]' },
    { metadata: '{' },
    { rateLimit: { limit: 0, windowSeconds: 60 } },
    { allowedIps: '010.0.0.1' },
    { expiresAt: new Date(Date.now() - 1000) },
  ]) {
    expect(changesOf({ ...draftOf(bare), ...problem }, bare, settingNames), JSON.stringify(problem)).toBeNull();
  }
});

it('an empty draft lacks only a name', () => {
  const problems = Object.entries(problemsOf(emptyDraft())).filter(([, problem]) => problem !== null);
  expect(problems.map(([setting]) => setting)).toEqual(['name']);
  expect(valuesOf({ ...emptyDraft(), name: 'A key' })).toEqual(bare);
});

it('a link prepares every setting', () => {
  const link =
    'name=Restricted&description=Used by the nightly build&source=10.0.0.0/8 %23 ours&source=203.0.113.9&expires=7&scope=orders:read&externalId=customer-7' +
    '&tag=nightly&metadata={"plan":{"list":[1,"two"]}}&limit=5&window=90';
  const { expiresAt, ...values } = valuesOf(withLink(emptyDraft(), new URLSearchParams(link)));
  expect(values).toEqual({ ...full, expiresAt: undefined });
  expect(Math.round((Date.parse(expiresAt ?? '') - Date.now()) / dayMs)).toBe(7);
  expect(withLink(draftOf(full), new URLSearchParams('expires=soon&limit=x'))).toEqual({
    ...draftOf(full),
    rateLimit: { limit: Number.NaN, windowSeconds: 90 },
  });
  for (const window of ['x', '', '0', '1.5', '86401']) {
    expect(withLink(draftOf(full), new URLSearchParams({ window })), window).toEqual(draftOf(full));
  }
});

it('a template leaves nothing of the one before it, and keeps what neither names', () => {
  const start = startOf(undefined, new URLSearchParams('template=service'));
  expect(start.draft).toMatchObject({ tags: ['service'], signing: true });
  const edited = { ...start.draft, name: 'Kept', allowedIps: '10.0.0.1' };
  const mobile = changeTemplate(edited, start.origin(), 'service', 'mobile');
  expect(mobile).toMatchObject({ tags: ['mobile'], signing: false, rateLimit: { limit: 60, windowSeconds: 60 } });
  const job = changeTemplate(mobile, start.origin(), 'mobile', 'ci');
  expect(job).toMatchObject({ name: 'Kept', allowedIps: '10.0.0.1', tags: ['ci'], rateLimit: { limit: '' } });
  expect(changeTemplate(job, start.origin(), 'ci', '')).toMatchObject({ name: 'Kept', allowedIps: '', tags: [] });
});

it('keeps comments and order, and takes empty lines for nothing', () => {
  expect(sourcesIn(' 10.0.0.0/8  # our network\n\n\texample.com\r\n')).toEqual([
    '10.0.0.0/8  # our network',
    'example.com',
  ]);
  expect(problemOf('')).toBeNull();
});

it('names the line that is wrong as people count, with the server’s own words', () => {
  expect(problemOf('10.0.0.1\n\n10.0.0.1/8\n# only a comment')?.split('\n')).toEqual([
    'Line 3 must have no bits set behind the prefix: the network is 10.0.0.0/8',
    'Line 4 must be an IP address, a CIDR range or a host name',
  ]);
});

it('names the first line above the limit, and the first five problems', () => {
  const lines = Array.from({ length: 102 }, (_, index) => `10.0.0.${index}`);
  expect(problemOf(lines.slice(0, 100).join('\n'))).toBeNull();
  expect(problemOf(lines.join('\n'))).toBe('Line 101 is one too many: there may be at most 100 sources');
  expect(problemOf('10.0.0.1/8\n'.repeat(7))?.split('\n').slice(4)).toEqual([
    'Line 5 must have no bits set behind the prefix: the network is 10.0.0.0/8',
    'and 2 more',
  ]);
});
