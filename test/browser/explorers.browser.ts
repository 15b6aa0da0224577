/** The pages that show what can be asked: GraphiQL at `/graphql`, and the OpenAPI description at `/openapi`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { description } from '../support/openapi-contract.ts';
import { type Excused, standsStill, violations } from './support/axe.ts';
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

const excusedOfGraphiQL: readonly Excused[] = [
  // GraphiQL's tabs have their buttons to close inside.
  { rule: 'nested-interactive', selector: '.graphiql-tab' },
  // CodeMirror scrolls with the caret of its text area, which takes the focus.
  { rule: 'scrollable-region-focusable', selector: '.CodeMirror-scroll' },
];

it.each(schemes)(
  'GraphiQL asks with the token of the dashboard and shows the schema, in %s colors that axe finds nothing in, and nothing is loaded from elsewhere',
  async (colorScheme) => {
    const tab = await dashboard.open({ colorScheme });
    await tab.signIn(tokenFor({ [dashboard.team]: both }));
    await executeWelcome(tab);
    await tab.page.locator('.graphiql-response').getByText('ada@example.com').waitFor();
    await tab.page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await tab.page.getByText('Every operation needs a session token').waitFor();
    await standsStill(tab.page);
    expect(await violations(tab.page, excusedOfGraphiQL)).toEqual([]);
    await tab.close();
  },
);

it('GraphiQL explains without a token that one is needed', async () => {
  const tab = await dashboard.open();
  await executeWelcome(tab);
  await tab.page.locator('.graphiql-response').getByText('UNAUTHENTICATED').first().waitFor();
  await tab.context.close();
});

const excusedOfSwaggerUI: readonly Excused[] = [
  // The structure of Swagger UI, which has no say in it: what is above the operations, headings that skip a rank, links
  // inside the buttons that open an operation, and selects whose words beside them are no labels.
  { rule: 'region', selector: '.info > *, .schemes-server-container' },
  { rule: 'heading-order', selector: 'h3.opblock-tag' },
  { rule: 'nested-interactive', selector: '.opblock-summary-control' },
  { rule: 'select-name', selector: '#servers, .examples-select-element, .content-type' },
];

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
    await standsStill(tab.page);
    expect(await violations(tab.page, excusedOfSwaggerUI)).toEqual([]);
    await tab.close();
  },
);
