/**
 * The README's two pictures, of a team as it could be. They are written where the README shows them with
 * `UPDATE_SCREENSHOTS=1 npm run test:browser`, and otherwise taken to see that it works.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { verdictOn } from './support/dashboard.ts';
import { it } from './support/test.ts';

const directory =
  process.env.UPDATE_SCREENSHOTS === undefined ? tmpdir() : fileURLToPath(new URL('screenshots/', import.meta.url));
const dayMs = 86_400_000;
const keys = [
  { name: 'Web shop checkout', env: 'live', calls: 9 },
  { name: 'Billing worker', env: 'live', calls: 4, expiresInDays: 9 },
  { name: 'Partner feed, Ferreira & Sons', env: 'live', calls: 0 },
  { name: 'Nightly export', env: 'test', calls: 2, expiresInDays: 200 },
  { name: 'Mobile app, beta', env: 'test', calls: 6 },
] as const;

it.for(['light', 'dark'] as const)(
  'takes the pictures of the README in %s colors',
  async (colorScheme, { dashboard, create, call, token }) => {
    mkdirSync(directory, { recursive: true });
    for (const { name, env, calls, ...rest } of keys) {
      const inDays = 'expiresInDays' in rest ? rest.expiresInDays : null;
      const expiresAt = inDays === null ? null : new Date(Date.now() + inDays * dayMs).toISOString();
      const { id, secret } = await create({ name, env, expiresAt });
      for (let call = 0; call < calls; call += 1) await verdictOn(dashboard.service, { key: secret });
      if (name !== 'Billing worker') continue;
      await call('mutation ($id: UUID!) { enableSigning(id: $id) { apiKey { id } } }', { id });
    }
    const tab = await dashboard.open({ colorScheme, viewport: { width: 1100, height: 560 }, deviceScaleFactor: 1 });
    await tab.signIn(token);
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
  },
);
