/**
 * The README's two pictures, of a team as it could be. They are written where the README shows them with
 * `UPDATE_SCREENSHOTS=1 npm run test:browser`, and otherwise taken to see that it works.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { both, inDays } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const directory =
  process.env.UPDATE_SCREENSHOTS === undefined ? tmpdir() : fileURLToPath(new URL('screenshots/', import.meta.url));
const user = userOf();
const keys = [
  { name: 'Web shop checkout', env: 'live', calls: 9 },
  { name: 'Billing worker', env: 'live', calls: 4, expiresAt: inDays(9) },
  { name: 'Partner feed, Ferreira & Sons', env: 'live', calls: 0 },
  { name: 'Nightly export', env: 'test', calls: 2, expiresAt: inDays(200) },
  { name: 'Mobile app, beta', env: 'test', calls: 6 },
];

it.for(['light', 'dark'] as const)('takes the pictures of the README in %s colors', async (colorScheme) => {
  mkdirSync(directory, { recursive: true });
  for (const { name, calls, ...input } of keys) {
    const { id, secret } = await user.create({ name, ...input });
    for (let call = 0; call < calls; call += 1) await user.verdict({ key: secret });
    if (name === 'Billing worker') await user.mutate(id, 'enableSigning(id: $id)');
  }
  const look = { colorScheme, viewport: { width: 1100, height: 560 }, deviceScaleFactor: 1 };
  const tab = await user.openAs(both, look);
  await tab.page.getByRole('link', { name: 'Mobile app, beta' }).waitFor();
  await expect
    .poll(async () => {
      await tab.page.reload();
      await tab.page.getByRole('link', { name: 'Mobile app, beta' }).waitFor();
      return await tab.page.getByText('never', { exact: true }).count();
    })
    // Three keys never expire, one was never used.
    .toBe(4);
  expect(await tab.page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe(colorScheme);
  const picture = await tab.page.screenshot({ path: `${directory}/keys-${colorScheme}.png` });
  expect(picture.length).toBeGreaterThan(10_000);
  await tab.close();
});
