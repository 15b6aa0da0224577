/** Where a key is used from over time, and what one address did to all keys of a team. */
import { expect, it } from 'vitest';
import { userOf } from './support/test.ts';

const user = userOf();
const { button, goTo, create, heading, sees, verdict } = user;

const recent = () => user.page.getByRole('table', { name: 'Recent sources' });
const inUtc = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Two keys that one address tried, of which one allows it. */
async function prepare() {
  const shop = await create({ name: 'Shop' });
  const closed = await create({ name: 'Closed', allowedIps: ['10.0.0.1'] });
  for (const { secret } of [shop, shop, closed]) await verdict({ key: secret, sourceIp: '192.0.2.7' });
  await verdict({ key: shop.secret, sourceIp: '2001:db8::1' });
  // The counts arrive within ten seconds.
  await expect
    .poll(async () => {
      await goTo('overview');
      await goTo('addresses?address=192.0.2.7');
      await user.page.getByText('No key of this team').or(user.page.getByRole('table')).first().waitFor();
      return await user.page.getByRole('row').count();
    })
    .toBe(3);
  return shop;
}

it('a key shows what it accepted and rejected from each address by day, and which are new since a day', async () => {
  const { page } = user;
  const { id } = await prepare();
  await goTo(`keys/${id}`);
  const row = recent().getByRole('row', { name: /192\.0\.2\.7/ });
  await row.getByRole('img', { name: '2 accepted in 31 days, 2 today' }).waitFor();
  expect(await row.getByRole('img', { name: /rejected/ }).count()).toBe(0);
  await page.getByLabel('New since').fill(inUtc(-2));
  expect(await recent().getByRole('row').count()).toBe(3);
  await page.getByLabel('New since').fill(inUtc(2));
  await sees('No source is new since then.');
});

it('an address leads to every key of the team that was presented from it, with what became of its requests', async () => {
  const { page } = user;
  const { id } = await prepare();
  await goTo(`keys/${id}`);
  await recent().getByRole('link', { name: '192.0.2.7' }).click();
  await heading('What an address touched');
  const row = (name: string) => page.getByRole('row', { name });
  await expect
    .poll(() => row('Shop').getByRole('cell').allInnerTexts())
    .toEqual(['Shop', 'live', 'active', '2', '0', expect.any(String), expect.any(String)]);
  await expect
    .poll(() => row('Closed').getByRole('cell').allInnerTexts())
    .toEqual(['Closed', 'live', 'active', '0', '1', expect.any(String), expect.any(String)]);
  // Another address, in another spelling, from the palette and in the field.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('2001:DB8:0::1');
  await page.getByRole('option', { name: 'What 2001:DB8:0::1 touched' }).click();
  await sees('presented from 2001:db8::1 in the last 31 days');
  await row('Shop').waitFor();
  expect(await row('Closed').count()).toBe(0);
  await page.getByLabel('IPv4 or IPv6 address').fill('192.0.2.300');
  await button('Show its keys').click();
  await sees('This is not an IP address.');
  await page.getByLabel('IPv4 or IPv6 address').fill('198.51.100.9');
  await button('Show its keys').click();
  await sees('No key of this team was presented from this address.');
});
