/** The documents that the service serves, and the links of the dashboard to them. */
import { expect, it } from 'vitest';
import { problemsOfAllLooks } from './support/axe.ts';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { goTo, create, heading } = user;
const open = (path: string) => user.page.goto(`${user.dashboard.service.url}${path}`);

it('every page links to its section of the documents, which is there', async () => {
  const { page } = user;
  const { id } = await create();
  const link = page.getByRole('link', { name: 'Documentation of this page' });
  const places = [
    ['keys', '#keys'],
    ['keys/new', '#a-new-key'],
    [`keys/${id}`, '#a-key'],
    [`keys/${id}?tab=rotation`, '#rotation'],
    ['overview', '#overview'],
    ['try', '#try-a-key'],
    ['audit', '#audit-trail'],
    ['webhooks', '#webhooks'],
    ['import', '#import'],
  ] as const;
  for (const [place, section] of places) {
    await goTo(place);
    await expect.poll(() => link.getAttribute('href')).toBe(`/docs/reference/dashboard${section}`);
  }
  const [opened] = await Promise.all([user.context.waitForEvent('page'), link.click()]);
  await opened.locator('#import:target').waitFor();
});

it('the documents need no script, link to each other by section, show pictures, and are read in every look', async () => {
  const { page } = user;
  const answer = await open('/docs/tasks/webhooks.md');
  expect(answer?.url()).toBe(`${user.dashboard.service.url}/docs/tasks/webhooks`);
  expect(answer?.headers()).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'self'; img-src 'self'; /),
  });
  await page.getByRole('main').getByRole('link', { name: 'sent again' }).click();
  await page.locator('#retries:target').waitFor();
  expect(await problemsOfAllLooks(page)).toEqual([]);
  // The narrowest look is the last one. There, the list of documents is closed.
  await page.getByText('All documents').click();
  await page.getByRole('navigation').getByRole('link', { name: 'The dashboard', exact: true }).click();
  await heading('The dashboard');
  const picture = page.getByRole('img').first();
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => page.evaluate<number>('document.querySelector("main img").naturalWidth')).toBeGreaterThan(0);
});

it('an unknown document is an error, and other methods are not accepted', async () => {
  const { url } = user.dashboard.service;
  expect((await fetch(`${url}/docs/../package.json`)).status).not.toBe(200);
  expect((await fetch(`${url}/docs/%2e%2e/package.json`)).status).not.toBe(200);
  expect((await fetch(`${url}/docs/reference/elsewhere`)).status).toBe(404);
  expect((await fetch(`${url}/docs`, { method: 'POST' })).status).toBe(405);
});

it('a service without GraphiQL has no link to it in an empty team, but to the document about GraphQL', async () => {
  const { page } = user;
  const programs = page.getByText('Programs can create keys over');
  await goTo('keys');
  expect(await programs.getByRole('link', { name: 'GraphQL' }).getAttribute('href')).toBe('/graphql');
  await page.route(`${user.dashboard.service.url}/`, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(
      '"latchkey-graphiql" content="true"',
      '"latchkey-graphiql" content="false"',
    );
    await route.fulfill({ response: answer, body });
  });
  await page.reload();
  const link = programs.getByRole('link', { name: 'GraphQL' });
  expect(await link.getAttribute('href')).toBe('/docs/reference/graphql');
});
