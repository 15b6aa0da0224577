/** Every page and dialog: nothing for axe to find, and nothing wider than the window, in each look. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { expect, it, vi } from 'vitest';
import { problemsOfAllLooks, violations } from './support/axe.ts';
import { type Created, inDays, jwtSecret } from './support/dashboard.ts';
import { issuer } from './support/shared-service.ts';
import { all, userOf } from './support/test.ts';

const emptyTeam = '6b5dbd5b-6ee6-4a6e-9d1c-1d0ac0f4a1b2';
const user = userOf({ permissions: all, otherTeams: [emptyTeam], prepare });
const { goTo, create, call, verdict, dialog, sees } = user;
let key: Created;
let revoked: Created;
let rotated: Created;
let expired: Created;
let disabled: Created;
let leakedKey: string;
let webhook: string;
let managementKey: string;

/** Creates keys of each kind. */
async function prepare(): Promise<void> {
  key = await create({
    name: 'Checkout of the web shop',
    expiresAt: inDays(6),
    tags: ['ci', 'export'],
    externalId: 'customer-7',
  });
  revoked = await create({ name: 'Old partner feed', env: 'test' });
  await user.revoke(revoked.id);
  rotated = await create({ name: 'Nightly export', env: 'test' });
  await user.rotate(rotated.id);
  expired = await create({ name: 'Trial of a partner', expiresAt: new Date(Date.now() + 20_000).toISOString() });
  // Two long texts in its row, and a button.
  await verdict({ key: expired.secret, env: 'live' });
  disabled = await create({ name: 'Paused feed' });
  await user.mutate(disabled.id, 'disableKey(id: $id, reason: "Not used since the migration")');
  const leaked = await create({ name: 'Leaked deploy key' });
  await user.leak(leaked.secret, { url: `https://git.example.com/${'x'.repeat(90)}` });
  await user.mutate(leaked.id, 'disableKey(id: $id)');
  leakedKey = leaked.id;
  const url = `http://127.0.0.1:65535/${'x'.repeat(60)}`;
  const newWebhook = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  const input = {
    teamId: user.dashboard.team,
    url,
    types: ['key.created', 'key.rotated', 'key.revoked', 'leak.policy_changed'],
  };
  webhook = (await call(newWebhook, { input })).createWebhook.webhook.id;
  const paused = (await call(newWebhook, { input: { ...input, description: 'Paused receiver' } })).createWebhook
    .webhook;
  await user.mutate(paused.id, 'updateWebhook(id: $id, input: { enabled: false })', 'webhook { id }');
  await addAccess();
  // One word, which no line break divides: with 53 characters, wider than a phone.
  const wide = await create({ name: 'x'.repeat(53), expiresAt: inDays(5) });
  await verdict({ key: wide.secret, env: 'test' });
  for (const env of ['live', 'live', 'test']) await verdict({ key: key.secret, env, sourceIp: '192.0.2.1' });
  const isObserved = async () => {
    const { observedSources } = await call('query ($id: UUID!) { observedSources(keyId: $id) { address } }', {
      id: key.id,
    });
    expect(observedSources).toHaveLength(1);
    expect(await verdict({ key: expired.secret })).toBe('EXPIRED');
  };
  // The verification processes send them in batches.
  await vi.waitFor(isObserved, { timeout: 60_000, interval: 500 });
}

/** Lets programs in, with long texts. */
async function addAccess(): Promise<void> {
  const team = { teamId: user.dashboard.team, permissions: ['view_team', 'manage_keys'] };
  const newKey =
    'mutation ($input: CreateManagementKeyInput!) { createManagementKey(input: $input) { secret managementKey { id } } }';
  const allowedIps = ['192.0.2.7', '2001:db8:1234:5678::/64'];
  const input = { ...team, name: 'Billing backend', expiresAt: inDays(6), allowedIps };
  managementKey = (await call(newKey, { input })).createManagementKey.managementKey.id;
  const open = { ...team, name: 'x'.repeat(53), expiresAt: inDays(60) };
  const { secret } = (await call(newKey, { input: open })).createManagementKey;
  await fetch(`${user.dashboard.service.url}/v1/keys?teamId=${team.teamId}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const rule = {
    ...team,
    name: 'Deploy of the web shop',
    issuer,
    audience: `https://keys.example.com/${'x'.repeat(60)}`,
    claims: { repository_id: '123456789', environment: 'production' },
  };
  await call('mutation ($input: CreateTrustRuleInput!) { createTrustRule(input: $input) { trustRule { id } } }', {
    input: rule,
  });
}

const at = async (place: string, shown: string) => {
  await goTo(place);
  await sees(shown);
};
const click = (name: string) => user.button(name).last().click();
/** Goes to a part of the page of a key. */
const atKey = (id: string, part = 'settings', shown = 'Settings') => at(`keys/${id}?part=${part}`, shown);

/** Shows all of the newest entry of an action, in the audit trail or the history of a key. */
async function openEntry(action: string): Promise<void> {
  const entry = user.page.getByRole('rowgroup', { name: action }).first();
  await entry.getByRole('button', { name: action }).click();
  await entry.getByText(/^Request/).waitFor();
}

/** Selects a key in the list, and opens a dialog for it. */
async function selected(kind: string, shown: string): Promise<void> {
  await at('keys', 'Checkout of the web shop');
  await user.page.getByLabel('Select Checkout of the web shop').check();
  await click(kind);
  await sees(shown);
}

/** Shows each state of a page, or a dialog on it. */
const states = {
  'the list of keys': () => at('keys', 'Nightly export'),
  'keys that have expired or will soon': async () => {
    await at('keys', 'Trial of a partner');
    for (const name of ['Renew… Trial of a partner', 'Renew Checkout of the web shop']) {
      await user.button(name).waitFor();
    }
  },
  'the filter': async () => {
    await at('keys?tag=ci&signing=on', 'Signing');
    await click('+ Filter');
    await user.page.getByRole('option', { name: 'External ID' }).waitFor();
  },
  'the values of a filter': async () => {
    await at('keys', 'Nightly export');
    await click('+ Filter');
    await user.page.getByRole('option', { name: 'Tag' }).click();
    await user.page.getByRole('option', { name: /^ci/ }).waitFor();
  },
  'the menu of a key': async () => {
    await at('keys', 'Nightly export');
    await click('Actions for Nightly export');
    await user.page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
  },
  'saved filters': async () => {
    const { page } = user;
    await at('keys', 'Nightly export');
    for (const last of [false, true]) {
      await click('Options');
      await page.getByRole('menuitem', { name: 'Saved views…' }).click();
      await page.getByLabel('Name of the current view').fill('Mine');
      if (!last) await click('Save');
    }
    await page.getByRole('button', { name: 'Delete Mine' }).waitFor();
  },
  'the dialog to revoke keys': () => selected('Revoke…', 'To continue, type the prefix'),
  'the dialog to tag keys': () => selected('Tag…', 'No key will be changed.'),
  'the toast after a change of keys': async () => {
    await selected('Renew…', '1 key will be changed:');
    await click('Renew 1 key');
    await sees('“Checkout of the web shop” is renewed');
  },
  'problems of a new key': async () => {
    await at('keys/new?scope=read&tag=ci&source=bad..host&metadata=x', 'It never changes');
    await click('Create');
    await sees('It is not JSON');
  },
  'a search that finds nothing': () => at('keys?search=nothing', 'No key matches'),
  'a team without keys': async () => {
    await user.tab.goTo(`teams/${emptyTeam}/keys`);
    await sees('0 of 3 done');
  },
  'a new secret': async () => {
    const { page } = user;
    await at('keys/new', 'It never changes');
    await page.getByLabel('Name').fill('Short-lived');
    await click('Create');
    await page.getByTestId('secret').waitFor();
    await page.getByLabel('I have stored it').check();
  },
  'a typed expiry, and sources that are hardly fewer than all': async () => {
    const { page } = user;
    await at('keys/new', 'It never changes');
    await page.getByLabel('Expires', { exact: true }).selectOption('At a date…');
    await page.getByLabel('Name').fill('Wide');
    await click('More settings');
    await page.getByLabel('Allowed sources', { exact: true }).fill('8.0.0.0/6');
    await click('Create');
    await page.getByRole('dialog').waitFor();
  },
  'a new signing secret': async () => {
    const { page } = user;
    await atKey((await create({ name: 'Signed' })).id, 'access', 'Request signing');
    await click('Enable signing');
    await page.getByRole('dialog').getByRole('button', { name: 'Enable signing' }).click();
    await page.getByLabel('I have stored it').check();
  },
  'the page of a key': () => atKey(key.id, 'overview', 'Needs attention'),
  'the menu of the page of a key': async () => {
    await atKey(key.id);
    await click('More actions');
    await user.page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
  },
  'an expired key': () => atKey(expired.id, 'settings', 'The expiry was set'),
  'a disabled key': () => atKey(disabled.id, 'overview', 'Not used since the migration'),
  'the dialog to enable a key': async () => {
    await atKey(disabled.id, 'settings', 'Not used since the migration');
    await click('Enable…');
    await dialog().waitFor();
  },
  'a leaked key': () => atKey(leakedKey, 'overview', 'has leaked'),
  'the dialog to enable a leaked key': async () => {
    await atKey(leakedKey, 'overview', 'has leaked');
    await click('Enable…');
    await user.button('Enable anyway').waitFor();
  },
  'the dialog to enable leaked keys': async () => {
    await at('keys?state=leaked', 'Leaked deploy key');
    await click('Actions for Leaked deploy key');
    await user.page.getByRole('menuitem', { name: 'Enable…' }).click();
    await sees('1 key has leaked');
  },
  'the question before an undo': async () => {
    await atKey((await create({ name: 'Undone' })).id, 'overview', 'Needs attention');
    await click('Disable');
    await dialog().getByRole('button', { name: 'Disable' }).click();
    await click('Undo');
    await dialog('Enable “Undone” again?').waitFor();
  },
  'the access of a key': () => atKey(key.id, 'access', 'Request signing'),
  'sources with problems': async () => {
    await atKey(key.id, 'access', 'Request signing');
    await user.page.getByLabel('Sources that can use the key').fill('10.0.0.1/8');
    await sees('Line 1');
  },
  'the dialog to revoke': async () => {
    await atKey(key.id, 'settings', 'Danger zone');
    await click('Revoke…');
    await user.page.getByRole('button', { name: 'Revoke permanently' }).waitFor();
  },
  'the use of a key': async () => {
    await atKey(key.id, 'use', 'WRONG_ENVIRONMENT');
    await user.page.locator('.recharts-bar-rectangle path').first().waitFor();
  },
  'sources that were suggested': async () => {
    await atKey(key.id, 'access');
    await click('Add 192.0.2.1');
    await click('Preview with recent sources');
    await sees('accepts 1');
  },
  'a rotated key': async () => {
    await atKey((await create({ scopes: ['orders:read'], tags: ['partner'] })).id, 'rotate', 'Replace the secret');
    await click('Rotate');
    await user.page.getByLabel('I have stored it').check();
    await click('Watch the previous secret');
    await sees('No client has used the previous secret');
  },
  'the dialog to end an overlap': async () => {
    await atKey(rotated.id, 'rotate');
    await click('End the overlap…');
    await dialog('End the overlap now?').waitFor();
  },
  'the dialog to merge changes': async () => {
    const { id } = await create({ name: 'Contested' });
    await atKey(id, 'settings', 'Danger zone');
    await user.page.getByLabel('Name').fill('Mine');
    await user.update(id, { name: 'Theirs' });
    await click('Save details');
    await sees('Take theirs');
  },
  'the dialog to rotate without an overlap': async () => {
    await atKey(key.id, 'rotate', 'Replace the secret');
    await user.page.getByLabel('Accept the current secret for').selectOption('0');
    await click('Rotate…');
    await dialog('Rotate without an overlap?').waitFor();
  },
  'the dialog to enable signing': async () => {
    await atKey(key.id, 'access', 'Request signing');
    await click('Enable signing');
    await dialog('Require signed requests?').waitFor();
  },
  'the dialog to allow every source': async () => {
    const { id } = await create({ name: 'Limited', allowedIps: ['192.0.2.0/24'] });
    await atKey(id, 'access', 'Request signing');
    await user.page.getByLabel('Sources that can use the key').fill('');
    await click('Save sources');
    await dialog('Allow every source?').waitFor();
  },
  'the explanation of a field': async () => {
    await at('keys/new', 'It never changes');
    await user.page
      .getByRole('button', { name: /^About / })
      .first()
      .click();
    await dialog().waitFor();
  },
  'the history of a key': () => atKey(key.id, 'history', 'ada@example.com'),
  'an open entry of the history': async () => {
    await atKey(key.id, 'history', 'ada@example.com');
    await openEntry('Created');
  },
  'a revoked key': () => atKey(revoked.id, 'settings', 'can’t be changed'),
  'no such key': () => at(`keys/${user.dashboard.team}`, 'There is no such key'),
  'a running change of keys': async () => {
    await at('keys', 'Nightly export');
    await user.hold('ChangeKeys');
    await user.page.getByLabel('Select Nightly export').check();
    await click('Disable…');
    await click('Disable 1 key');
    await sees('of 1…');
  },
  'the dialog before leaving': async () => {
    await at('keys/new', 'It never changes');
    await user.page.getByRole('textbox', { name: 'Name' }).fill('Typed');
    await goTo('overview');
    await dialog('Leave without creating the key?').waitFor();
  },
  'the overview': () => at('overview', 'WRONG_ENVIRONMENT'),
  'a chosen bar of the overview': async () => {
    await at('overview', 'WRONG_ENVIRONMENT');
    await user.page.locator('.recharts-bar-rectangle path').last().click();
    await user.page.waitForURL('**/overview?*bar=*');
    // Without the tooltip at the mouse, which does not follow a window that changes.
    await user.page.mouse.move(0, 0);
    await user.page.reload();
    await user.button('Show the whole period').waitFor();
  },
  'a rejected trial of a key': async () => {
    const { page } = user;
    await at('try', 'check by check');
    await page.getByLabel('Key', { exact: true }).fill(key.prefix);
    await page.getByLabel('Environment').selectOption('test');
    await click('Try it');
    await sees('The request is rejected');
  },
  'a trial of a signed request': async () => {
    await at('try', 'check by check');
    await user.page.getByLabel('The request is signed').check();
    await click('Try it');
    await sees('The signature covers the URL');
  },
  'an address': () => at('addresses?address=192.0.2.1', 'presented from 192.0.2.1'),
  'the audit trail': () => at('audit', 'ada@example.com'),
  'an open entry of the audit trail': async () => {
    await at('audit', 'ada@example.com');
    await openEntry('Disabled');
  },
  'a team without webhooks': async () => {
    await user.tab.goTo(`teams/${emptyTeam}/webhooks`);
    await sees('no webhooks yet');
  },
  'the webhooks': () => at('webhooks', 'Paused receiver'),
  'problems of a new webhook': async () => {
    await at('webhooks/new', 'It can’t be changed later');
    await click('Create');
    await user.page.locator('[aria-invalid=true]').first().waitFor();
  },
  'the types of events of a webhook': async () => {
    await at('webhooks/new', 'It can’t be changed later');
    await user.page.getByRole('combobox', { name: 'Events' }).click();
    await sees('A key was created.');
  },
  'the deliveries of a webhook': async () => {
    await at(`webhooks/${webhook}`, 'Send a test event');
    await click('Send a test event');
    await sees('not delivered');
    await user.page.getByRole('button', { name: 'key.created' }).first().click();
    await sees('the last at');
  },
  'the settings of a disabled webhook': async () => {
    await at('webhooks', 'Paused receiver');
    await user.page.getByRole('link', { name: 'Paused receiver' }).click();
    await user.page.getByRole('tab', { name: 'Settings' }).click();
    await sees('It was disabled by a user.');
  },
  'the verification of a webhook': () => at(`webhooks/${webhook}?tab=verification`, 'Pass the body as it arrived'),
  'a new secret of a webhook': async () => {
    await at(`webhooks/${webhook}?tab=verification`, 'Pass the body as it arrived');
    await click('Rotate…');
    await dialog('Rotate the secret?').getByRole('button', { name: 'Rotate' }).click();
    await user.page.getByLabel('I have stored it').check();
  },
  'the dialog to replay events': async () => {
    await at(`webhooks/${webhook}`, 'Send a test event');
    await click('Replay a period…');
    await click('Replay');
    await sees('Choose the first moment.');
  },
  'a team without access': async () => {
    await user.tab.goTo(`teams/${emptyTeam}/access`);
    await sees('no trust rules yet');
  },
  'the access': () => at('access', 'repository_id: 123456789'),
  'problems of a new management key': async () => {
    await at('access/keys/new', 'shown once, after the management key');
    for (const permission of ['view_team', 'manage_keys']) await user.page.getByLabel(permission).uncheck();
    await click('Create');
    await sees('Choose at least one.');
  },
  'a management key': () => at(`access/keys/${managementKey}`, 'Everything made by this key'),
  'the dialog to rotate a management key': async () => {
    await at(`access/keys/${managementKey}`, 'Everything made by this key');
    await click('Rotate…');
    await dialog('Rotate the management key?').waitFor();
  },
  'a new management key': async () => {
    await at('access/keys/new', 'shown once, after the management key');
    await user.page.getByLabel('Name').fill('Of a moment');
    await click('Create');
    await user.page.getByLabel('I have stored it').check();
  },
  'problems of a new trust rule': async () => {
    await at('access/rules/new', 'Fills in the issuer');
    await click('Create');
    await sees('must have a claim that only one workload has');
  },
  'the dialog to delete a trust rule': async () => {
    await at('access', 'repository_id: 123456789');
    await click('Delete Deploy of the web shop…');
    await dialog('Delete this trust rule?').waitFor();
  },
  'a policy': async () => {
    await at('policy', 'Longest lifetime');
    await user.page.getByLabel('Permit certain scopes only').first().check();
    await user.page.getByLabel('Longest lifetime').first().fill('5000');
    await click('Save for live');
    await sees('must be from 60 to');
  },
  'a new key under a policy': async () => {
    const rules = { maxLifetimeSeconds: 315_360_000, scopes: [{ name: 'x'.repeat(53), description: 'Read all' }] };
    await call('mutation ($input: SetKeyPolicyInput!) { setKeyPolicy(input: $input) { policy { env } } }', {
      input: { teamId: user.dashboard.team, env: 'test', ...rules },
    });
    await at('keys/new?env=test', 'What the policy demands of a test key');
    await user.page.getByRole('combobox', { name: 'Scopes' }).click();
    await sees('Read all');
  },
  'the members': async () => {
    const subjects = ['ada@example.com', `${'x'.repeat(53)}@example.com`];
    const importAll = 'mutation ($input: ImportMembersInput!) { importMembers(input: $input) { added } }';
    for (const present of [subjects, subjects.slice(0, 1)]) {
      await call(importAll, { input: { teamId: user.dashboard.team, subjects: present } });
    }
    await at('members', 'ada@example.com');
  },
  'the dialog to hand over keys': async () => {
    await create({ name: 'Of a person', responsible: 'ada@example.com' });
    const importAll = 'mutation ($input: ImportMembersInput!) { importMembers(input: $input) { added } }';
    await call(importAll, { input: { teamId: user.dashboard.team, subjects: ['ada@example.com'] } });
    await at('members', 'ada@example.com');
    await click('Hand over the keys of ada@example.com…');
    await dialog().getByRole('button', { name: 'Hand over' }).click();
    await sees('Name a person or a team.');
  },
  'freezing keys': async () => {
    await at('freeze', 'Freeze keys');
  },
  'the dialog to freeze keys': async () => {
    await at('freeze', 'Freeze keys');
    await user.page.getByLabel('Reason').fill('A drill');
    await user.page.getByLabel('External ID').fill('nobody');
    await click('Count the keys…');
    await dialog('Freeze these keys?').waitFor();
  },
  'the banner of a fence, and the dialog to lift it': async () => {
    const input = { teamId: user.dashboard.team, reason: 'A drill', externalId: 'nobody' };
    const { freezeKeys } = await call(
      'mutation ($input: FreezeKeysInput!) { freezeKeys(input: $input) { fence { id } } }',
      { input },
    );
    await at('keys', 'Keys are frozen');
    await click('Lift the fence “A drill”…');
    await dialog('Lift this fence?').waitFor();
    await call('mutation ($id: UUID!) { unfreezeKeys(id: $id) { id } }', { id: freezeKeys.fence.id });
  },
  'the dialog to import members': async () => {
    const subjects = ['ada@example.com', `${'y'.repeat(53)}@example.com`];
    const importAll = 'mutation ($input: ImportMembersInput!) { importMembers(input: $input) { added } }';
    await call(importAll, { input: { teamId: user.dashboard.team, subjects } });
    await at('members', 'ada@example.com');
    await click('Import members…');
    await dialog().getByLabel('Everyone who has access').fill('ada@example.com');
    await click('Compare');
    await sees('will be recorded as left');
  },
  'an import': async () => {
    await at('import', 'Or paste the lines');
    await user.page.getByLabel('Or paste the lines').fill('{"digest":"x","name":"Bad"}');
    await click('Dry run');
    await sees('1 rejected');
  },
  'no such page': async () => {
    await user.tab.goTo('nowhere');
    await sees('There is no such page');
  },
  'an unknown team': async () => {
    await user.tab.goTo(`teams/${key.id}/keys`);
    await sees('Not a team of yours');
  },
  'the sign-in page': async () => {
    await click('Session');
    await click('Sign out');
    await click('Sign in');
    await sees('Paste a session token.');
  },
  // As the service answers with an identity provider: sign-in-provider.browser.ts has a real one.
  'a failed sign-in at an identity provider': async () => {
    const { url } = user.dashboard.service;
    await user.forget();
    await user.context.route(`${url}/`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('-sign-in" content=""', '-sign-in" content="login.example.com"');
      await route.fulfill({ response, body });
    });
    await user.page.goto(`${url}/#/signed-out?reason=too-large`);
    await sees('names more teams than a session can hold');
    await user.page.getByText('Use a token', { exact: true }).click();
  },
  'the menu of the session': async () => {
    await click('Session');
    await user.page.getByRole('button', { name: 'Sign out' }).waitFor();
  },
  'the list of teams': async () => {
    const { page } = user;
    await page.getByRole('combobox', { name: 'Team' }).click();
    // Not those of the selects, which are hidden.
    await page.locator('[role=option]').first().waitFor();
  },
  'the commands': async () => {
    await click('Commands');
    await user.page.getByRole('option', { name: 'Overview' }).waitFor();
  },
  'the commands with keys': async () => {
    await at('overview', 'WRONG_ENVIRONMENT');
    await click('Commands');
    await user.page.getByRole('combobox', { name: 'Command' }).fill('Nightly');
    await user.page.getByRole('option', { name: 'Nightly export' }).waitFor();
  },
  'the shortcuts': async () => {
    await at('overview', 'WRONG_ENVIRONMENT');
    await user.page.keyboard.press('?');
    await sees('Search the keys of the team');
  },
  'the offer of another session': async () => {
    await at('keys', 'Nightly export');
    const other = jwt.sign({ teams: {} }, jwtSecret, { subject: 'bob', expiresIn: 600 });
    await user.page.goto(`${user.dashboard.service.url}/#token=${other}`);
    await dialog('Replace your session?').waitFor();
    await sees('bob');
  },
  'an expired session': async () => {
    await at('keys', 'Nightly export');
    await user.expire('TeamUsage');
    await user.page.getByRole('link', { name: 'Overview' }).click();
    await dialog('Sign in again').waitFor();
  },
} satisfies Readonly<Record<string, () => Promise<unknown>>>;

const listMenu = 'the menu of the list with all columns';

/** The state, or one of the states, in which a test below checks the dialog, menu or popover of a file. */
const shownIn: Readonly<Record<string, keyof typeof states | typeof listMenu>> = {
  'access/management-key-dialogs.tsx': 'the dialog to rotate a management key',
  'access/trust-rules.tsx': 'the dialog to delete a trust rule',
  'commands/palette.tsx': 'the commands',
  'components/confirm-dialog.tsx': 'the dialog to revoke',
  'components/dialog/dialog-on-demand.tsx': 'the shortcuts',
  'components/dialog/dialog.tsx': 'the dialog to revoke',
  'components/dialog/leave-dialog.tsx': 'the dialog before leaving',
  'components/docs-link.tsx': 'the explanation of a field',
  'components/menu-on-demand.tsx': 'the menu of a key',
  'components/toasts.tsx': 'the question before an undo',
  'key-form/inputs.tsx': 'the dialog to allow every source',
  'key/details/merge-dialog.tsx': 'the dialog to merge changes',
  'key/key-dialog.tsx': 'the dialog to revoke',
  'key/key-header.tsx': 'the menu of the page of a key',
  'key/rotation/replacement.tsx': 'the dialog to rotate without an overlap',
  'key/rotation/signing.tsx': 'the dialog to enable signing',
  'keys/changes/change-dialog.tsx': 'the dialog to revoke keys',
  'keys/filter/filter-menu.tsx': 'the filter',
  'keys/filter/saved-views-dialog.tsx': 'saved filters',
  'keys/list/list-menu.tsx': listMenu,
  'keys/list/row-menu.tsx': 'the menu of a key',
  'fences/fence-banner.tsx': 'the banner of a fence, and the dialog to lift it',
  'fences/freeze-page.tsx': 'the dialog to freeze keys',
  'members/import-dialog.tsx': 'the dialog to import members',
  'members/member-dialogs.tsx': 'the dialog to hand over keys',
  'session/session-end-dialog.tsx': 'an expired session',
  'session/session-offer.tsx': 'the offer of another session',
  'session/user-menu.tsx': 'the menu of the session',
  'webhooks/webhook-dialogs.tsx': 'the dialog to replay events',
};

it('each file of the dashboard that renders a dialog, menu or popover has a state that is checked', () => {
  const cwd = join(import.meta.dirname, '../../src/dashboard/');
  const rendersOne = /<(?:Combobox|ConfirmDialog|Dialog|Menu|Modal\.Root|Popover|Spotlight\.Root)[\s>]/;
  const files = globSync('**/*.tsx', { cwd }).filter((file) => rendersOne.test(readFileSync(cwd + file, 'utf8')));
  expect(files.sort()).toEqual(Object.keys(shownIn).sort());
});

const title = 'axe finds nothing, and nothing is wider than the window:';

it.each(Object.entries(states))(`${title} %s`, async (_, show) => {
  await show();
  const modal = user.page.locator('[aria-modal=true]');
  // While a dialog fades in, the focus is not in it yet.
  if ((await modal.count()) > 0)
    await modal
      .last()
      .locator(':focus')
      .or(modal.and(user.page.locator(':focus')))
      .waitFor();
  expect(await problemsOfAllLooks(user.page)).toEqual([]);
});

// Opened at its width: an open menu does not follow a window that changes.
it.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 320],
] as const)(`${title} ${listMenu}, in %s colors at %i px`, async (colorScheme, width) => {
  const { page } = user;
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme });
  await at('keys', 'Nightly export');
  await click('Options');
  for (const name of ['Tags', 'External ID']) await page.getByRole('menuitemcheckbox', { name }).click();
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
});
