/** Where the page keeps the session token. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { both, type Dashboard, startDashboard, tokenFor } from './support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

it('keeps the session token in its tab: not in a cookie, nor where another tab finds it', async () => {
  const token = tokenFor({ [dashboard.team]: both });
  const tab = await dashboard.open();
  await tab.signIn(token);
  expect(await tab.context.cookies()).toEqual([]);
  expect(await tab.page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(token);
  const other = await tab.context.newPage();
  await other.goto(`${dashboard.service.url}/`);
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await other.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(token);
  await tab.close();
});
