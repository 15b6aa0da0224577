/** The pages that show what can be asked: GraphiQL at `/graphql`, and the OpenAPI description at `/openapi`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { both, type Dashboard, startDashboard, type Tab, tokenFor } from './support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

/** Runs the query that a newcomer finds there, once it is there. */
async function executeWelcome({ page }: Tab): Promise<void> {
  await page.goto(`${dashboard.service.url}/graphql`);
  await page.locator('.graphiql-query-editor').getByText('permissions').waitFor();
  await page.getByRole('button', { name: /Execute query/ }).click();
}

it('GraphiQL asks with the token of the dashboard, shows the schema, and nothing is loaded from elsewhere', async () => {
  const tab = await dashboard.open();
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
  await executeWelcome(tab);
  await tab.page.locator('.graphiql-response').getByText('ada@example.com').waitFor();
  await tab.page.getByRole('button', { name: /Documentation Explorer/ }).click();
  await tab.page.getByText('Every operation needs a session token').waitFor();
  await tab.close();
});

it('GraphiQL says what is missing without a token', async () => {
  const tab = await dashboard.open();
  await executeWelcome(tab);
  await tab.page.locator('.graphiql-response').getByText('UNAUTHENTICATED').first().waitFor();
  await tab.context.close();
});

it('the description is shown with every call, and nothing is loaded from elsewhere', async () => {
  const tab = await dashboard.open();
  await tab.page.goto(`${dashboard.service.url}/openapi`);
  for (const path of ['/v1/keys', '/v1/keys/{id}/signing/rotate', '/v1/verify', '/v1/authorize'])
    await tab.page.locator(`[data-path="${path}"]`).first().waitFor();
  await tab.page
    .getByRole('button', { name: /\/v1\/verify/ })
    .first()
    .click();
  await tab.page.getByText('Decided on a state at least as new').first().waitFor();
  expect(await tab.page.locator('.opblock').count()).toBe(12);
  await tab.close();
});
