/** Every operation of the dashboard, as a person goes through them, and what the service says of it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { both, inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const run = promisify(execFile);
const user = userOf();
const { button, goTo, create, call, verdict, dialog, sees, clipboard, focused } = user;

it('creates a key, shows its secret once, and has commands for the shell that work', async () => {
  const { page } = user;
  await page.getByRole('link', { name: 'Create a key' }).click();
  await button('Create').click();
  await sees('A key needs a name');
  await page.getByLabel('Name').fill('  Web shop  ');
  await page.getByLabel('test', { exact: true }).check();
  await page.getByLabel('Expires', { exact: true }).selectOption('In 30 days');
  await button('Create').click();
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  expect(secret).toMatch(/^lk_test_\w{8}_\w{49}$/);
  const commands = (await page.getByText('/v1/keys/self').textContent()) ?? '';
  const env = { PATH: process.env.PATH, API_KEY: secret };
  // The other command calls an API that does not run here.
  const { stdout } = await run('bash', ['-c', commands.replace(/^curl -i .*$/m, '')], { env });
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Web shop', env: 'test' });

  const download = page.waitForEvent('download');
  await button('Download').click();
  expect(readFileSync(await (await download).path(), 'utf8')).toBe(`${secret}\n`);
  await button('Copy').click();
  await button('Copied').waitFor();
  expect(await clipboard()).toBe(secret);
  await button('Go to the key').click();
  await page.getByRole('heading', { name: 'Web shop', exact: true }).waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(user.tab.urls.filter((url) => url.includes(secret))).toEqual([]);
});

it('takes an expiry that is typed or from a calendar, and shows before that what it means in the reader’s zone', async () => {
  const abroad = await user.openAs(both, { timezoneId: 'America/New_York', locale: 'en-US' });
  const { page } = abroad;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const shown = page.getByLabel('Date or time');
  await abroad.goTo('keys/new?name=Until+a+date');
  await page.getByLabel('Expires', { exact: true }).selectOption('At a date…');
  await shown.fill('soon');
  await press('Create');
  await page.getByText('or a date, or a time from now such as 30d or 6 months, or never.').waitFor();
  await shown.fill('2031-01-31');
  await page.getByText('On 30 January 2031 at 19:00').waitFor();
  await page.getByText('or a date, or a time').waitFor({ state: 'detached' });
  // What the browser's own calendar does, which no test can operate.
  await page.evaluate("HTMLInputElement.prototype.showPicker = function () { this.dataset.picker = 'shown'; }");
  await press('Choose in a calendar');
  await page.locator('input[data-picker=shown]').waitFor({ state: 'attached' });
  await page.locator('input[type=datetime-local]').fill('2031-07-15T13:30');
  expect(await shown.inputValue()).toBe('2031-07-15T13:30-04:00');
  await press('Create');
  await page.getByLabel('I have stored it').check();
  const read = 'query ($teamId: UUID!) { keys(teamId: $teamId, first: 1) { nodes { expiresAt } } }';
  const { keys } = await call(read, { teamId: user.dashboard.team });
  expect(keys.nodes[0].expiresAt).toBe('2031-07-15T17:30:00.000Z');
  await press('Go to the key');
  await page.getByRole('heading', { name: 'Until a date' }).waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  expect(await shown.inputValue()).toBe('2031-07-15T13:30-04:00');
  await shown.fill('in 6 months');
  await press('Save details');
  await page.getByText('Saved: Expiry.').waitFor();
  await abroad.close();
});

it('tightens sources: each line is checked as it is typed, comments stay, and the rest is rejected from then on', async () => {
  const { page } = user;
  const key = await create();
  expect(await verdict({ key: key.secret, sourceIp: '203.0.113.9' })).toBe('VALID');
  await goTo(`keys/${key.id}?tab=access`);
  const editor = page.getByLabel('Sources that can use the key');
  await editor.fill('10.0.0.0/8 # our network\n10.0.0.1/8\n\n010.0.0.1');
  await sees('Line 2 must have no bits set behind the prefix: the network is 10.0.0.0/8');
  await sees('Line 4 is not a valid IPv4 address');
  await button('Save sources').click();
  await expect.poll(() => focused('tagName')).toBe('TEXTAREA');
  await editor.fill('10.0.0.0/8 # our network');
  await button('Add my address, 127.0.0.1').click();
  await button('Save sources').click();
  await page.getByText('Saved: Allowed sources.').waitFor();
  await expect.poll(() => editor.inputValue()).toBe('10.0.0.0/8 # our network\n127.0.0.1 # my address');
  expect(await verdict({ key: key.secret, sourceIp: '203.0.113.9' })).toBe('SOURCE_NOT_ALLOWED');
  expect(await verdict({ key: key.secret, sourceIp: '10.1.2.3' })).toBe('VALID');
  await page.getByRole('tab', { name: 'History' }).click();
  const changed = page.getByRole('rowgroup', { name: 'Changed' });
  await changed.getByText('Allowed sources: added 10.0.0.0/8 # our network, 127.0.0.1 # my address').waitFor();
});

it('signing: on, rotated and off, with the secret once and examples', async () => {
  const { page } = user;
  const key = await create();
  await goTo(`keys/${key.id}?tab=access`);
  await button('Enable signing').click();
  await dialog().getByRole('button', { name: 'Enable signing' }).click();
  const first = (await page.getByTestId('secret').textContent()) ?? '';
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(await verdict({ key: key.secret })).toBe('SIGNATURE_REQUIRED');
  for (const language of ['curl', 'Node', 'Python']) {
    await page.getByRole('tab', { name: language }).click();
    await page.getByRole('tabpanel', { name: language }).getByText(key.id).waitFor();
  }
  await button('Copy').click();
  await expect.poll(clipboard).toBe(first);
  await button('Done').click();
  await button('Replace the signing secret').click();
  await expect.poll(() => focused()).toBe('Rotation');
  const overlap = page.getByLabel('Accept the current signing secret for');
  expect(await overlap.inputValue()).toBe('86400');
  await overlap.selectOption('3600');
  await button('Rotate signing secret').click();
  const second = (await page.getByTestId('secret').textContent()) ?? '';
  expect(second).not.toBe(first);
  await page.getByLabel('I have stored it').check();
  await sees('The previous signing secret is accepted too. It ends');
  await button('Done').click();
  await overlap.selectOption('0');
  await button('Rotate signing secret…').click();
  const question = dialog('Rotate without an overlap?');
  await question.getByText('are rejected as soon as you rotate').waitFor();
  await question.getByText('The overlap of the last rotation has not ended').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('tab', { name: 'Access' }).click();
  await button('Disable signing').click();
  await dialog().getByRole('button', { name: 'Disable signing' }).click();
  await sees('need no signature');
  expect(await verdict({ key: key.secret })).toBe('VALID');
  await page.getByRole('tab', { name: 'History' }).click();
  for (const entry of ['Signing disabled', 'Signing secret rotated', 'Signing enabled', 'Created']) {
    await page.getByRole('rowgroup', { name: entry, exact: true }).waitFor();
  }
  expect(await page.content()).not.toContain(second);
});

it('shows use by hour and day with each verdict, and a trail with before and after', async () => {
  const { page } = user;
  const key = await create({ name: 'Used' });
  for (const env of ['live', 'live', 'test']) await verdict({ key: key.secret, env });
  await goTo(`keys/${key.id}?part=use`);
  // Counts arrive within a second or so, possibly in parts; the page asks again by itself, the impatient reload.
  const counted = async () => {
    await page.reload();
    const some = page.getByRole('row', { name: /^[\w ]+ (VALID|WRONG_ENVIRONMENT) \d/ });
    await some.or(page.getByText('No verifications')).first().waitFor();
    return (await some.allInnerTexts()).join();
  };
  await expect.poll(counted).toMatch(/VALID\s+2\b.*WRONG_ENVIRONMENT\s+1\b/s);
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  await page.getByLabel('Period').selectOption('Last 30 days');
  await page.getByRole('row', { name: 'VALID 2' }).waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('Name').fill('Renamed');
  await button('Save details').click();
  await page.getByRole('tab', { name: 'History' }).click();
  const changed = page.getByRole('rowgroup', { name: 'Changed' });
  await changed.getByText('Name: changed from “Used” to “Renamed”').waitFor();
  await changed.getByRole('button', { name: 'Changed' }).click();
  await changed.getByText(/by session ada@example.com from 127.0.0.1/).waitFor();
});

it('a session is offered only what it may do', async () => {
  const { id } = await create({ name: 'To be looked at', expiresAt: inDays(5) });
  const viewer = await user.openAs(['view_team']);
  const { page, goTo } = viewer;
  const offered = (name: string | RegExp) => page.getByRole('button', { name }).count();
  await page.getByRole('button', { name: 'Actions for To be looked at' }).click();
  await page.getByRole('menuitem', { name: 'Copy id' }).waitFor();
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Copy id', 'Copy prefix', 'Try']);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Create a key' }).count()).toBe(0);
  await goTo(`keys/${id}`);
  await page.getByText('can view this key, but not change it').waitFor();
  for (const name of ['Save details', 'Save sources', 'Enable signing', 'Disable']) expect(await offered(name)).toBe(0);
  await goTo('keys/new');
  await page.getByText('does not grant manage_keys').waitFor();
  await goTo('overview');
  await page.getByRole('link', { name: 'To be looked at' }).waitFor();
  expect(await offered(/^Renew/)).toBe(0);
  await goTo('import');
  await page.getByText('does not grant import_keys').waitFor();
  expect(await page.getByRole('link', { name: 'Import', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Commands' }).click();
  await page.getByRole('option', { name: 'Audit', exact: true }).waitFor();
  expect(await page.getByRole('option', { name: 'Import', exact: true }).count()).toBe(0);
  await viewer.close();
  const manager = await user.openAs(['manage_keys', 'import_keys']);
  await manager.page.getByText('does not grant view_team').waitFor();
  await manager.page.getByRole('link', { name: 'Create a key' }).waitFor();
  await manager.page.getByRole('link', { name: 'Import', exact: true }).waitFor();
  await manager.page.getByRole('button', { name: 'Commands' }).click();
  await manager.page.getByRole('option', { name: 'Import', exact: true }).waitFor();
  // Before the service is asked: that would be an error with a button to try again.
  await manager.goTo(`keys/${id}`);
  await manager.page.getByText('does not grant view_team').waitFor();
  expect(await manager.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await manager.close();
});

it('an id in upper case leads to the same key, whose changes are shown', async () => {
  const { id } = await create({ name: 'Shouted' });
  await goTo(`keys/${id.toUpperCase()}?tab=settings`);
  await user.heading('Shouted');
  await user.page.getByLabel('Name').fill('Said');
  await button('Save details').click();
  await user.heading('Said');
});
