/** Creating a key with every setting, from a template, a link or another key. */
import { expect, it } from 'vitest';
import { inDays } from './support/dashboard.ts';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, create, call, revoke, hold, sees } = user;

const form = async (parameters = '') => {
  await goTo(`keys/new${parameters}`);
  await user.page.getByRole('textbox', { name: 'Name' }).waitFor();
};

/** The newest key of the team. */
async function newest() {
  const query = `query ($teamId: UUID!) { keys(teamId: $teamId, first: 1) { nodes {
    name env expiresAt allowedIps scopes signingEnabled rateLimit { limit windowSeconds } externalId tags metadata
  } } }`;
  return (await call(query, { teamId: user.dashboard.team })).keys.nodes[0];
}

async function keep() {
  await user.page.getByLabel('I have stored it').check();
  await button('Go to the key').click();
  await user.page.getByRole('tab', { name: 'History' }).waitFor();
}

const daysUntil = (at: string) => Math.round((Date.parse(at) - Date.now()) / 86_400_000);

it('creates a key with every restriction, and shows the signing secret after the secret', async () => {
  const { page } = user;
  await form();
  await page.getByLabel('Name').fill('Restricted');
  await button('More settings').click();
  await page.getByLabel('Allowed sources', { exact: true }).fill('10.0.0.0/8 # ours\n203.0.113.9');
  await page.getByRole('combobox', { name: 'Scopes' }).fill('orders:read');
  await page.keyboard.press('Enter');
  await page.keyboard.type('orders:write ');
  await page.getByLabel('Rate limit', { exact: true }).fill('500');
  await page.getByLabel('Per', { exact: true }).selectOption('hour');
  await page.getByLabel('Require signed requests').check();
  await page.getByLabel('External ID', { exact: true }).fill('customer-7');
  await page.getByRole('combobox', { name: 'Tags' }).fill('nightly');
  await page.keyboard.press('Enter');
  await page.getByLabel('Metadata', { exact: true }).fill('{"plan": "gold"}');
  await button('Create').click();
  const secret = await page.getByTestId('secret').textContent();
  expect(secret).toMatch(/^lk_live_/);
  await page.getByLabel('I have stored it').check();
  await button('Continue to the signing secret').click();
  await sees('The signing secret of');
  expect(await page.getByTestId('secret').textContent()).toMatch(/^[0-9a-f]{64}$/);
  expect(await button('Go to the key').isDisabled()).toBe(true);
  await keep();
  const { expiresAt, ...rest } = await newest();
  expect(rest).toEqual({
    name: 'Restricted',
    env: 'live',
    allowedIps: ['10.0.0.0/8 # ours', '203.0.113.9'],
    scopes: ['orders:read', 'orders:write'],
    signingEnabled: true,
    rateLimit: { limit: 500, windowSeconds: 3600 },
    externalId: 'customer-7',
    tags: ['nightly'],
    metadata: { plan: 'gold' },
  });
  expect(daysUntil(expiresAt)).toBe(90);
});

it('starts from a template, and from the parameters of a link', async () => {
  const { page } = user;
  await form();
  await page.getByLabel('Start from').selectOption('CI job');
  await page.getByLabel('Name').fill('Pipeline');
  await button('Create').click();
  await keep();
  const made = await newest();
  expect(made).toMatchObject({ name: 'Pipeline', env: 'live', tags: ['ci'] });
  expect(daysUntil(made.expiresAt)).toBe(30);
  await form('?name=From+a+link&env=test&expires=7&tag=t');
  await button('Create').click();
  await keep();
  const linked = await newest();
  expect(linked).toMatchObject({ name: 'From a link', env: 'test', tags: ['t'] });
  expect(daysUntil(linked.expiresAt)).toBe(7);
});

it('a live key expires in 90 days and a test key never, unless the user, a template, a link or a copied key says so', async () => {
  const { page } = user;
  const expires = page.getByLabel('Expires', { exact: true });
  const thereAndBack = async () => {
    await page.getByLabel('test', { exact: true }).check();
    const inTest = await expires.inputValue();
    await page.getByLabel('live', { exact: true }).check();
    expect(inTest).toBe((await expires.inputValue()) === '90' ? 'never' : await expires.inputValue());
    return await expires.inputValue();
  };
  await form();
  expect(await thereAndBack()).toBe('90');
  await expires.selectOption('Never');
  expect(await thereAndBack()).toBe('never');
  await page.getByLabel('Start from').selectOption('CI job');
  expect(await thereAndBack()).toBe('30');
  await page.getByLabel('Start from').selectOption('An empty form');
  expect(await thereAndBack()).toBe('90');
  // A form with nothing but its defaults is left without a question.
  await form('?expires=7');
  await expect.poll(() => expires.inputValue()).toBe('7');
  expect(await thereAndBack()).toBe('7');
  await form('?template=mobile');
  await expect.poll(() => expires.inputValue()).toBe('365');
  expect(await thereAndBack()).toBe('365');
  const { id } = await create({ name: 'Endless' });
  await form(`?from=${id}`);
  await expect.poll(() => expires.inputValue()).toBe('never');
  expect(await thereAndBack()).toBe('never');
  await button('Create').click();
  await keep();
  expect(await newest()).toMatchObject({ name: 'Copy of Endless', expiresAt: null });
});

/** Loses the response to the next creation, which the service has made. */
async function loseResponse(): Promise<void> {
  let isLost = false;
  await user.context.route('**/graphql', async (route) => {
    if (isLost || route.request().postData()?.includes('CreateKey') !== true) return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}

const countOf = async (name: string) => {
  const query = 'query ($t: UUID!, $s: String!) { keys(teamId: $t, first: 9, filter: { search: $s }) { totalCount } }';
  const variables = { t: user.dashboard.team, s: name };
  return (await call(query, variables)).keys.totalCount;
};

it('another attempt after a lost response says that a key exists, and creates no second one unasked', async () => {
  const { page } = user;
  const lose = async () => {
    await loseResponse();
    await button('Create').click();
    await sees('The server can’t be reached');
  };
  await form('?name=Lost');
  await lose();
  await page.getByLabel('Name').fill('Lost, renamed');
  await button('Create').click();
  await sees('An earlier attempt created a key with other settings');
  expect(await countOf('Lost')).toBe(1);
  await button('Create').click();
  await page.getByLabel('I have stored it').check();
  expect(await countOf('Lost')).toBe(2);
  await form('?name=Again');
  await lose();
  await button('Create').click();
  await sees('The key was created, but its secret was not shown');
  expect(await countOf('Again')).toBe(1);
  await page.getByRole('link', { name: 'Open the key' }).click();
  await user.heading('Again');
  await button('Rotate').click();
  await page.getByLabel('I have stored it').check();
});

it('opens the settings that it hides if a link or a template sets them, or if they have a problem', async () => {
  const { page } = user;
  const rateLimit = page.getByLabel('Rate limit', { exact: true });
  await form('?name=Hidden&limit=0');
  await button('Create').click();
  await page.getByText('It must be a number from 1').waitFor();
  await expect.poll(() => user.focused('getAttribute("aria-invalid")')).toBe('true');
  await form('?name=Shown');
  await rateLimit.waitFor({ state: 'detached' });
  expect(await page.evaluate('document.querySelector("form").offsetHeight')).toBeLessThan(600);
  await page.getByLabel('Start from').selectOption('Mobile app');
  expect(await rateLimit.inputValue()).toBe('60');
  expect(await page.evaluate('document.querySelector("form").offsetHeight')).toBeLessThan(900);
});

it('each field has help for the keyboard, with the verdicts that the setting can cause', async () => {
  const { page } = user;
  await form();
  await button('About Scopes').focus();
  await page.keyboard.press('Enter');
  const verdict = page.getByRole('link', { name: 'INSUFFICIENT_SCOPE' });
  await verdict.waitFor();
  expect(await verdict.getAttribute('href')).toBe('/errors#INSUFFICIENT_SCOPE');
  await page.keyboard.press('Escape');
  await verdict.waitFor({ state: 'detached' });
  await expect.poll(() => user.focused('getAttribute("aria-label")')).toBe('About Scopes');
});

it('suggests the scopes and tags of other keys of the team, which it reads only when a field is used', async () => {
  const { page } = user;
  await create({ scopes: ['rare:read', 'orders:read'], tags: ['nightly'] });
  await create({ scopes: ['orders:read'] });
  const calls = user.callsOf('KnownLabels');
  await form('?name=Like+the+others');
  const scopes = page.getByRole('combobox', { name: 'Scopes' });
  expect(calls).toHaveLength(0);
  await scopes.focus();
  const suggested = page.getByRole('listbox').getByRole('option');
  await suggested.first().waitFor();
  expect(await suggested.allTextContents()).toEqual(['orders:read', 'rare:read']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Tags' }).focus();
  await page.getByRole('option', { name: 'nightly' }).click();
  expect(calls).toHaveLength(1);
  await button('Create').click();
  await keep();
  expect(await newest()).toMatchObject({ scopes: ['orders:read'], tags: ['nightly'] });
});

it('after the secret is stored, another key can be created from the same start', async () => {
  const { page } = user;
  await form('?name=One+of+many&tag=batch');
  await button('Create').click();
  await user.heading('Key created');
  const first = await page.getByTestId('secret').textContent();
  expect(await button('Create another').isDisabled()).toBe(true);
  await page.getByLabel('I have stored it').check();
  await button('Create another').click();
  await user.heading('Create a key');
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('One of many');
  expect(await page.content()).not.toContain(first);
  await button('Create').click();
  expect(await page.getByTestId('secret').textContent()).not.toBe(first);
  await keep();
  expect(await countOf('One of many')).toBe(2);
});

it('keeps the secret on the page when the permission to create keys ends meanwhile', async () => {
  const { page } = user;
  await form('?name=Before+the+end');
  await button('Create').click();
  const secret = await page.getByTestId('secret').textContent();
  await user.context.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('query Viewer') !== true) return route.fallback();
    const response = await route.fetch();
    const body = (await response.text()).replace(/"permissions":\[.*?\]/, '"permissions":["view_team"]');
    await route.fulfill({ response, body });
  });
  // The page reads the permissions again when its window gets the focus, if they are older than five seconds.
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('link', { name: 'Import', exact: true }).waitFor({ state: 'detached' });
  expect(await page.getByTestId('secret').textContent()).toBe(secret);
});

it('shows an error of a field without an input above the form', async () => {
  const { page } = user;
  await form('?name=Rejected');
  const errors = [
    { field: 'input.name', message: 'must be shorter' },
    { field: 'input.teamId', message: 'must be a team that exists' },
  ];
  await user.fail('CreateKey', { message: 'It is not valid.', extensions: { code: 'BAD_USER_INPUT', errors } });
  await button('Create').click();
  await page.getByRole('alert').getByText('must be a team that exists').waitFor();
  await page.locator('.mantine-InputWrapper-error').getByText('must be shorter').waitFor();
  const focused = () => user.focused('closest(".mantine-InputWrapper-root")?.textContent');
  await expect.poll(focused).toContain('Must be shorter.');
});

it('duplicates a key from the list, with its lifetime from now on', async () => {
  const { page } = user;
  const settings = {
    env: 'test',
    allowedIps: ['192.0.2.1'],
    scopes: ['read'],
    rateLimit: { limit: 10, windowSeconds: 90 },
    externalId: 'dup',
    tags: ['a', 'b'],
    metadata: { deep: { list: [1, 'two'] } },
  };
  await create({ name: 'Original', expiresAt: inDays(20), ...settings });
  await goTo(`keys?search=Original`);
  await button('Actions for Original').click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'Duplicate a key' }).waitFor();
  await button('Create').click();
  await keep();
  const copy = await newest();
  expect(copy).toMatchObject({ name: 'Copy of Original', signingEnabled: false, ...settings });
  expect(daysUntil(copy.expiresAt)).toBe(20);
});

it('the form can’t be changed while its key is created, because the key would lack the change', async () => {
  const { page } = user;
  await form('?name=Held&source=192.0.2.1');
  const { answer } = await hold('CreateKey');
  await button('Create').click();
  await page.getByRole('textbox', { name: 'Allowed sources', disabled: true }).waitFor();
  expect(await page.getByLabel('Start from').isDisabled()).toBe(true);
  await answer();
  await keep();
});

it('asks before what was entered is lost', async () => {
  const { page } = user;
  await form();
  await button('More settings').click();
  await page.getByLabel('External ID', { exact: true }).fill('typed');
  await button('Cancel')
    .or(page.getByRole('link', { name: 'Cancel' }))
    .click();
  const dialog = page.getByRole('dialog', { name: 'Leave without creating the key?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('External ID', { exact: true }).inputValue()).toBe('typed');
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
});

it('an empty team is offered its first key, and one whose keys are all revoked is led to them', async () => {
  const { page } = user;
  await page.getByRole('link', { name: 'Import keys' }).waitFor();
  await page.getByRole('link', { name: 'Create the first key' }).click();
  await user.heading('Create a key');
  await revoke((await create({ name: 'Revoked one' })).id);
  for (const place of ['keys', 'overview']) {
    await goTo(place);
    await page.reload();
    await sees('All keys of this team are revoked');
    await page.getByRole('link', { name: 'Show the revoked keys' }).click();
    await page.getByRole('link', { name: 'Revoked one' }).waitFor();
  }
});
