/** The page of a key says what state the key is in and why, offers what to do about it, and fits on the screen. */
import { expect, it } from 'vitest';
import { inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, call, verdict, mutate, revoke, update, dialog, dialogCloses, sees, heading } = user;

const tab = (name: string) => user.page.getByRole('tab', { name, exact: true });
const banner = (state: string) => user.page.getByRole('status').filter({ hasText: new RegExp(`^${state}`) });
const facts = () => user.page.getByRole('region', { name: 'Facts' });

it('disabling names its reason and who did it, and can be undone from its message', async () => {
  const { id, secret } = await create({ name: 'Suspicious' });
  await goTo(`keys/${id}`);
  await button('Disable').click();
  await dialog('Disable this key?').getByLabel('Reason').fill('looks leaked');
  await dialog().getByRole('button', { name: 'Disable' }).click();
  await banner('Disabled').getByText('by ada@example.com').waitFor();
  await banner('Disabled').getByText('Reason: looks leaked').waitFor();
  expect(await verdict({ key: secret })).toBe('DISABLED');
  await button('Undo').click();
  // It ends a protection.
  await dialog('Enable “Suspicious” again?').getByRole('button', { name: 'Enable it again' }).click();
  await banner('Disabled').waitFor({ state: 'detached' });
  expect(await verdict({ key: secret })).toBe('VALID');
  await dialogCloses();
  await button('Disable').waitFor();
});

it('the banner of a disabled, an expired and a revoked key offers the action that ends this', async () => {
  const { id, secret } = await create({ name: 'Interrupted', expiresAt: new Date(Date.now() + 3000).toISOString() });
  await mutate(id, 'disableKey(id: $id)');
  await goTo(`keys/${id}`);
  await banner('Disabled').getByRole('button', { name: 'Enable…' }).click();
  await dialog('Enable this key?').getByRole('button', { name: 'Enable' }).click();
  // The page is not loaded again when the key expires.
  await banner('Expired').getByText('The expiry was set').waitFor();
  await banner('Expired').getByText('by ada@example.com').waitFor();
  expect(await verdict({ key: secret })).toBe('EXPIRED');
  await button('Renew by 90 days…').click();
  await dialog('Renew this key?').getByRole('button', { name: 'Renew' }).click();
  await banner('Expired').waitFor({ state: 'detached' });
  expect(await verdict({ key: secret })).toBe('VALID');
  await revoke(id);
  await user.page.reload();
  await banner('Revoked').getByText('by ada@example.com').waitFor();
  await tab('Rotation').click();
  await user.page.getByRole('region', { name: 'The previous secret' }).getByText('There is none.').waitFor();
  await banner('Revoked').getByRole('link', { name: 'Create another one like it' }).click();
  await heading('Duplicate a key');
});

it('facts say who created the key, and leave out what is not set', async () => {
  const { id } = await create({ name: 'Described', externalId: 'customer-7', expiresAt: inDays(300) });
  await goTo(`keys/${id}`);
  await facts().getByText('by ada@example.com').waitFor();
  await facts().getByText('customer-7').waitFor();
  await facts().getByText('in 10 months').waitFor();
  expect(await facts().locator('dt').allTextContents()).not.toContain('Description');
});

it('facts mark an expiry that is near, except that of a revoked key, which needs no attention', async () => {
  const { id } = await create({ expiresAt: inDays(5) });
  await goTo(`keys/${id}`);
  await facts().getByTitle('Expires soon').waitFor();
  await revoke(id);
  await user.page.reload();
  await facts().getByText('in 5 days').waitFor();
  expect(await facts().getByTitle('Expires soon').count()).toBe(0);
});

it('a saved setting is undone from its message, unless another session changed the key meanwhile', async () => {
  const { page } = user;
  const { id } = await create({ name: 'Tagged', tags: ['before'] });
  const tags = async () => (await call('query ($id: UUID!) { key(id: $id) { tags } }', { id })).key.tags;
  const add = async (tag: string) => {
    await page.getByRole('combobox', { name: 'Tags' }).fill(tag);
    await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
    await button('Save labels').click();
    await sees('Saved: Tags.');
  };
  await goTo(`keys/${id}?tab=settings`);
  await add('after');
  expect(await tags()).toEqual(['before', 'after']);
  await button('Undo').click();
  await expect.poll(tags).toEqual(['before']);
  await facts().getByText('after').waitFor({ state: 'detached' });
  // The message below is the next one.
  await page.getByText('Saved: Tags.').waitFor({ state: 'detached' });
  await add('mine');
  await update(id, { tags: ['theirs'] });
  await button('Undo').last().click();
  await page.getByRole('alert').getByText('PRECONDITION_FAILED').waitFor();
  expect(await tags()).toEqual(['theirs']);
});

it('names what was rejected, links it to its meaning, and leads to the setting that causes it', async () => {
  const { page } = user;
  const { id, secret } = await create({ allowedIps: ['10.0.0.1'] });
  await verdict({ key: secret, sourceIp: '192.0.2.1' });
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const noticed = async () => {
    await goTo(`keys`);
    await goTo(`keys/${id}`);
    await sees('Verifications');
    return await attention.getByText('1 request was rejected in the last 24 hours').count();
  };
  await expect.poll(noticed, { interval: 2000 }).toBe(1);
  const meaning = attention.getByRole('link', { name: 'SOURCE_NOT_ALLOWED' });
  expect(await meaning.getAttribute('href')).toBe('/errors#SOURCE_NOT_ALLOWED');
  await attention.getByRole('button', { name: 'Review allowed sources' }).click();
  await expect.poll(() => user.focused()).toBe('Access');
  expect(page.url()).toContain('tab=access');
});

it('a link of an older version to a part of the page opens its tab', async () => {
  const { id } = await create();
  for (const [part, shown] of [
    ['settings', 'Settings'],
    ['rotate', 'Rotation'],
    ['use', 'Overview'],
    ['history', 'History'],
  ] as const) {
    await goTo(`keys/${id}?part=${part}`);
    await expect.poll(() => tab(shown).getAttribute('aria-selected')).toBe('true');
  }
});

it('no form of the page is longer than 900 px, also with the longest lists', async () => {
  const { page } = user;
  const many = (count: number, length: number) => Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, 'x'));
  const { id } = await create({
    name: 'W'.repeat(100),
    description: 'd '.repeat(249),
    allowedIps: Array.from({ length: 100 }, (_, i) => `10.0.0.${i} ${'# comment'.padEnd(200, 'x')}`),
    scopes: many(50, 100),
    tags: many(20, 64),
    externalId: 'x'.repeat(255),
    metadata: Object.fromEntries(many(100, 20).map((name) => [name, 1])),
    rateLimit: { limit: 1000, windowSeconds: 60 },
    expiresAt: inDays(300),
    signing: true,
  });
  const forms = new Map<string, number>();
  for (const name of ['Settings', 'Access', 'Rotation']) {
    await goTo(`keys/${id}?tab=${name.toLowerCase()}`);
    await page.getByRole('tabpanel', { name }).locator('section').first().waitFor();
    for (const section of await page.getByRole('tabpanel').locator('section:visible').all()) {
      const title = await section.getByRole('heading').first().textContent();
      forms.set(`${name}: ${title}`, (await section.boundingBox())?.height ?? 0);
    }
  }
  expect([...forms.keys()]).toEqual([
    'Settings: Details',
    'Settings: Owner and labels',
    'Settings: Danger zone',
    'Access: Allowed sources',
    'Access: Restrictions',
    'Access: Request signing',
    'Rotation: Replace the secret',
    'Rotation: Replace the signing secret',
  ]);
  expect([...forms].filter(([, height]) => height === 0 || height > 900)).toEqual([]);
  // The form also shows what is wrong with every line.
  await tab('Access').click();
  await page.getByLabel('Sources that can use the key').fill(
    many(100, 0)
      .map((i) => `999.1.1.${i}`)
      .join('\n'),
  );
  await sees('and 95 more');
  const box = await page.getByRole('region', { name: 'Allowed sources' }).boundingBox();
  expect(box?.height).toBeLessThanOrEqual(900);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(1280);
});

it('on a phone, no label is cut off, and the actions stay in the window while the page scrolls', async () => {
  const { page } = user;
  await page.setViewportSize({ width: 320, height: 640 });
  const { id } = await create({ name: 'On the go', allowedIps: ['10.0.0.1'], signing: true });
  const cutOff = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('.mantine-Button-label, .trail td')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`);
  for (const [part, shown] of [
    ['access', 'Preview with recent sources'],
    ['rotation', 'Rotate signing secret'],
    ['history', 'Created'],
  ] as const) {
    await goTo(`keys/${id}?tab=${part}`);
    await page.getByRole('button', { name: shown }).waitFor();
    expect(await cutOff()).toEqual([]);
  }
  await goTo(`keys/${id}?tab=settings`);
  await button('Revoke…').scrollIntoViewIfNeeded();
  for (const action of [page.getByRole('link', { name: 'Rotate' }), button('Disable'), button('More actions')]) {
    const box = await action.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(100);
  }
  await button('Disable').click();
  await dialog('Disable this key?').getByRole('button', { name: 'Cancel' }).click();
  await dialogCloses();
  await page.getByRole('link', { name: 'Rotate' }).click();
  await sees('Replace the secret');
  await expect.poll(() => user.focused()).toBe('Rotation');
});
