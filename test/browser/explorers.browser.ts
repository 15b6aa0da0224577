/** The pages that describe the APIs: GraphiQL at `/graphql`, and the OpenAPI description at `/openapi`. */
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { teamActions } from '../../src/domain/event/event-schema.ts';
import { description } from '../support/openapi-contract.ts';
import { violations } from './support/axe.ts';
import { jwtSecret } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

const schemes = ['light', 'dark'] as const;
const user = userOf();
const open = (path: string) => user.page.goto(`${user.dashboard.service.url}${path}`);

/** Runs the query that a newcomer finds there, once it is there. */
async function executeWelcome(): Promise<void> {
  const { page } = user;
  await open('/graphql');
  await page.locator('.graphiql-query-editor').getByText('permissions').waitFor();
  await page.getByRole('button', { name: /Execute query/ }).click();
}

it.for(schemes)(
  'GraphiQL asks in the session of the dashboard and shows the schema, in %s colors that axe finds nothing in, and nothing is loaded from elsewhere',
  async (colorScheme) => {
    const { page } = user;
    await page.emulateMedia({ colorScheme });
    await executeWelcome();
    await page.locator('.graphiql-response').getByText('ada@example.com').waitFor();
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.getByText('Every operation needs a credential').waitFor();
    expect(await violations(page)).toEqual([]);
  },
);

it('GraphiQL explains without a session that one is needed, and works once the dashboard has one in another tab', async () => {
  await user.forget();
  await executeWelcome();
  const response = user.page.locator('.graphiql-response');
  await response.getByText('UNAUTHENTICATED').first().waitFor();
  const dashboard = await user.context.newPage();
  await dashboard.goto(`${user.dashboard.service.url}/#token=${user.token()}`);
  await dashboard.getByRole('button', { name: 'Yes, sign in' }).click();
  await dashboard.locator('h1:not(:text("Sign in"), :text("Opening")), main [role=status]').first().waitFor();
  await user.page.getByRole('button', { name: /Execute query/ }).click();
  await response.getByText('ada@example.com').waitFor();
});

it.for(schemes)(
  'the description is shown with every call and every webhook, in %s colors that axe finds nothing in, and nothing is loaded from elsewhere',
  async (colorScheme) => {
    const { page } = user;
    await page.emulateMedia({ colorScheme });
    await open('/openapi');
    for (const path of ['/v1/keys', '/v1/keys/{id}/signing/rotate', '/v1/verify', '/v1/authorize'])
      await page.locator(`[data-path="${path}"]`).first().waitFor();
    await page
      .getByRole('button', { name: /\/v1\/verify/ })
      .first()
      .click();
    await page.getByText('Returns the verdict on a state at least as new').first().waitFor();
    const methods = Object.values(description.paths).flatMap((path) =>
      Object.keys(path).filter((is) => is !== 'servers'),
    );
    expect(await page.locator('.opblock').count()).toBe(methods.length + teamActions.length);
    expect(await violations(page)).toEqual([]);
  },
);

it('the dashboard, GraphiQL and the description link to each other, and share the session', async () => {
  const { page } = user;
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
});

it('the description sends a typed token instead of the session, and not both', async () => {
  const { page } = user;
  await open('/openapi');
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const other = jwt.sign({ teams: {} }, jwtSecret, { subject: 'bob', expiresIn: 600 });
  await page.locator('.modal-ux input').first().fill(other);
  await page.locator('.modal-ux .modal-btn.authorize').first().click();
  await page.locator('.modal-ux .close-modal').click();
  const call = page.locator('.opblock-get').filter({ has: page.locator('[data-path="/v1/keys"]') });
  await call.locator('.opblock-summary-control').click();
  await call.getByRole('button', { name: 'Try it out' }).click();
  await call.getByPlaceholder('teamId').fill(user.dashboard.team);
  const [request] = await Promise.all([
    page.waitForRequest(/\/v1\/keys\?/),
    call.getByRole('button', { name: 'Execute' }).click(),
  ]);
  const headers = await request.allHeaders();
  expect(headers.authorization).toBe(`Bearer ${other}`);
  expect(headers).not.toHaveProperty('cookie');
  expect(headers).not.toHaveProperty('latchkey-session');
});
