/** The pages that show what can be asked: GraphiQL at `/graphql`, and the OpenAPI description at `/openapi`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { description } from '../support/openapi-contract.ts';
import { violations } from './support/axe.ts';
import { both, type Dashboard, startDashboard, type Tab, tokenFor } from './support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const schemes = ['light', 'dark'] as const;

/** Runs the query that a newcomer finds there, once it is there. */
async function executeWelcome({ page }: Tab): Promise<void> {
  await page.goto(`${dashboard.service.url}/graphql`);
  await page.locator('.graphiql-query-editor').getByText('permissions').waitFor();
  await page.getByRole('button', { name: /Execute query/ }).click();
}

it.each(schemes)(
  'GraphiQL asks with the token of the dashboard and shows the schema, in %s colors that axe finds nothing in, and nothing is loaded from elsewhere',
  async (colorScheme) => {
    const tab = await dashboard.open({ colorScheme });
    await tab.signIn(tokenFor({ [dashboard.team]: both }));
    await executeWelcome(tab);
    await tab.page.locator('.graphiql-response').getByText('ada@example.com').waitFor();
    await tab.page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await tab.page.getByText('Every operation needs a session token').waitFor();
    expect(await violations(tab.page)).toEqual([]);
    await tab.close();
  },
);

it('GraphiQL explains without a token that one is needed', async () => {
  const tab = await dashboard.open();
  await executeWelcome(tab);
  await tab.page.locator('.graphiql-response').getByText('UNAUTHENTICATED').first().waitFor();
  await tab.context.close();
});

it.each(schemes)(
  'the description is shown with every call, in %s colors that axe finds nothing in, and nothing is loaded from elsewhere',
  async (colorScheme) => {
    const tab = await dashboard.open({ colorScheme });
    await tab.page.goto(`${dashboard.service.url}/openapi`);
    for (const path of ['/v1/keys', '/v1/keys/{id}/signing/rotate', '/v1/verify', '/v1/authorize'])
      await tab.page.locator(`[data-path="${path}"]`).first().waitFor();
    await tab.page
      .getByRole('button', { name: /\/v1\/verify/ })
      .first()
      .click();
    await tab.page.getByText('Returns the verdict on a state at least as new').first().waitFor();
    const methods = Object.values(description.paths).flatMap((path) =>
      Object.keys(path).filter((is) => is !== 'servers'),
    );
    expect(await tab.page.locator('.opblock').count()).toBe(methods.length);
    expect(await violations(tab.page)).toEqual([]);
    await tab.close();
  },
);

it('the dashboard, GraphiQL and the description link to each other, in the same tab, whose session they share', async () => {
  const tab = await dashboard.open();
  const { page } = tab;
  await tab.signIn(tokenFor({ [dashboard.team]: both }));
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('link', { name: 'GraphQL explorer' }).click();
  await page.getByRole('link', { name: 'REST reference' }).click();
  await page.getByRole('link', { name: 'GraphQL explorer' }).click();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('link', { name: 'REST and verification' }).click();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  await tab.close();
});
