/** The webhooks of a team, with a real receiver: from the secret to the log of deliveries, and what goes wrong. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { all, userOf } from './support/test.ts';

const user = userOf({ permissions: all });
const { button, goTo, create, call, dialog, dialogCloses, sees, heading, fail } = user;

let answer: { status: number; body: string };
const requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
const receiver = createServer(async (request, response) => {
  requests.push({ headers: request.headers, body: await text(request) });
  response.writeHead(answer.status).end(answer.body);
});
let url: string;
beforeAll(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  answer = { status: 200, body: '' };
  requests.length = 0;
});

const typeOf = ({ body }: { readonly body: string }) => JSON.parse(body).type;
const received = (type: string) => requests.filter((request) => typeOf(request) === type);
/** Resolves to the newest request of a type, when there are so many of it. */
const receives = async (type: string, count = 1) => {
  await expect.poll(() => received(type).length).toBe(count);
  const [request] = received(type).slice(-1);
  if (request === undefined) throw new Error('no request');
  return request;
};
const isSignedWith = (secret: string, { body, headers }: (typeof requests)[number]) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

const delivery = (name: string) => user.page.getByRole('rowgroup', { name });
const tab = (name: string) => user.page.getByRole('tab', { name, exact: true });

async function addWebhook(input: object = {}): Promise<string> {
  const mutation = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  const { createWebhook } = await call(mutation, { input: { teamId: user.dashboard.team, url, ...input } });
  return createWebhook.webhook.id;
}

it('a new webhook shows its secret once, and its deliveries with their answers as plain text', async () => {
  const { page } = user;
  answer.body = '<h1 id="injected">Thanks</h1>';
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await sees('This team has no webhooks yet.');
  await page.getByRole('link', { name: 'Create a webhook' }).click();
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Description').fill('Our receiver');
  await page.getByRole('combobox', { name: 'Events' }).fill('created');
  await page.getByRole('option', { name: 'key.created' }).click();
  await page.keyboard.press('Escape');
  await button('Create').click();
  const secret = (await page.getByTestId('secret').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  expect(await page.getByRole('tabpanel').first().textContent()).not.toContain(secret);
  await page.getByLabel('I have stored it').check();
  await button('Go to the webhook').click();
  await heading('Our receiver');
  expect(await page.content()).not.toContain(secret);

  await button('Send a test event').click();
  await sees('The test event was delivered. Status 200');
  expect(isSignedWith(secret, await receives('webhook.tested'))).toMatchObject({ type: 'webhook.tested' });

  const { id, secret: key } = await create({ name: 'Watched' });
  const first = await receives('key.created');
  expect(first.body).not.toContain(key);
  const row = delivery('key.created, delivered');
  await row.getByRole('button', { name: 'key.created' }).click();
  await row.getByText(answer.body).waitFor();
  expect(await page.locator('#injected').count()).toBe(0);
  await row.getByRole('button', { name: 'Replay', exact: true }).click();
  const again = await receives('key.created', 2);
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
  await row.getByRole('link', { name: 'Watched', exact: true }).click();
  await page.waitForURL(`**/keys/${id}`);
});

it('replays a period, and lists the deliveries of one outcome', async () => {
  const { page } = user;
  const id = await addWebhook({ types: ['key.created'] });
  await create();
  await receives('key.created');
  answer = { status: 500, body: 'out of order' };
  await create();
  await goTo(`webhooks/${id}`);
  const failing = delivery('key.created, failed so far');
  await failing.getByText(/\b\d+, next/).waitFor();
  await page.getByLabel('Outcome').selectOption('delivered');
  await failing.waitFor({ state: 'detached' });
  await page.reload();
  await delivery('key.created, delivered').waitFor();
  expect(await delivery('key.created').count()).toBe(1);
  answer.status = 200;
  const before = received('key.created').length;
  await button('Replay a period…').click();
  await dialog('Replay a period').getByRole('button', { name: 'Replay' }).click();
  await sees('Choose the first moment.');
  await dialog().getByLabel('From').fill('2020-01-01T00:00');
  await dialog().getByRole('button', { name: 'Replay' }).click();
  await sees('2 events are sent again.');
  await expect.poll(() => received('key.created').length).toBeGreaterThanOrEqual(before + 2);
  await expect.poll(() => delivery('key.created, delivered').count()).toBe(2);
});

it('a webhook whose events fail is red everywhere, says until when, and gets all of them again by one action', async () => {
  const { page } = user;
  answer = { status: 500, body: 'out of order' };
  const id = await addWebhook({ types: ['key.created'], description: 'Failing receiver' });
  for (const name of ['First', 'Second']) await create({ name });
  await expect.poll(() => new Set(received('key.created').map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  const problem = page.getByRole('status').filter({ hasText: '2 events failed so far' });
  await goTo('webhooks');
  const row = page.getByRole('row').filter({ hasText: 'Failing receiver' });
  await row.getByText('failing: 2 events').waitFor();
  await row.getByText('0 % of 2').waitFor();
  await row.getByText(/^The webhook is disabled in \d days unless it accepts them\.$/).waitFor();
  await row.getByText(/failed, 500, .*(ago|just now)$/).waitFor();
  await page.getByRole('link', { name: /^Webhooks.*one needs attention/ }).waitFor();
  await goTo('overview');
  const attention = page.getByRole('status').filter({ hasText: 'A webhook needs attention' });
  await attention.getByText('2 events failed so far.').waitFor();
  await attention.getByRole('link', { name: 'Failing receiver' }).click();
  await page.waitForURL(`**/webhooks/${id}`);
  await problem.getByText(/The webhook is disabled in \d days/).waitFor();
  // By name, where an id would say nothing.
  await delivery('key.created, failed so far').getByRole('link', { name: 'First', exact: true }).waitFor();
  const before = received('key.created').length;
  // Not while it is asked: Latchkey also tries again by itself, and would leave fewer to send.
  const asked = page.waitForResponse((response) => response.request().postData()?.includes('replayEvents') === true);
  await button('Send all failed again').click();
  await asked;
  answer = { status: 200, body: '' };
  await sees('2 events are sent again.');
  await expect.poll(() => received('key.created').length).toBeGreaterThanOrEqual(before + 2);
  await problem.waitFor({ state: 'detached' });
  await expect.poll(() => delivery('key.created, delivered').count()).toBe(2);
  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks', exact: true }).waitFor();
});

it('a user who may not manage webhooks is shown none of them in the header and on the overview', async () => {
  answer = { status: 500, body: '' };
  await addWebhook({ types: ['key.created'], description: 'Failing receiver' });
  await create();
  await receives('key.created');
  const other = await user.openAs(['view_team']);
  const asked: string[] = [];
  other.page.on('request', (request) => asked.push(request.postData() ?? ''));
  await other.goTo('overview');
  await other.page.getByText('Never used').waitFor();
  expect(asked.filter((body) => body.includes('query Webhooks'))).toEqual([]);
  expect(await other.page.getByText('needs attention').count()).toBe(0);
  await other.close();
});

it('rotating shows the new secret once, and signs with both secrets until the overlap ends', async () => {
  const { page } = user;
  const id = await addWebhook();
  const rotate = async () => {
    await button('Rotate…').click();
    await dialog('Rotate the secret?').getByRole('button', { name: 'Rotate' }).click();
    const secret = (await page.getByTestId('secret').textContent()) ?? '';
    await page.getByLabel('I have stored it').check();
    await button('Done').click();
    await page.getByTestId('secret').waitFor({ state: 'detached' });
    return secret;
  };
  await goTo(`webhooks/${id}?tab=verification`);
  const [first, second] = [await rotate(), await rotate()];
  await sees('signed with the previous secret too');
  await button('Send a test event').click();
  const request = await receives('webhook.tested');
  for (const secret of [first, second]) expect(isSignedWith(secret, request)).toMatchObject({ type: 'webhook.tested' });
});

it('a webhook with a public key shows it on its page, and examples for it', async () => {
  const { page } = user;
  await goTo('webhooks/new');
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Signature').selectOption('Public key (Ed25519)');
  await button('Create').click();
  const key = await page.getByText(/^whpk_/).textContent();
  await button('Go to the webhook').click();
  await tab('Verification').click();
  await page.getByText(key ?? '').waitFor();
  await page.getByText('Buffer.from(process.env.WEBHOOK_PUBLIC_KEY').first().waitFor();
});

it('changes, disables, enables and deletes a webhook', async () => {
  const { page } = user;
  const id = await addWebhook();
  await goTo(`webhooks/${id}?tab=settings`);
  await page.getByLabel('Description').fill('Renamed');
  await button('Save').click();
  await heading('Renamed');
  await button('Disable…').click();
  await dialog('Disable this webhook?').getByRole('button', { name: 'Disable' }).click();
  await dialogCloses();
  await sees('It was disabled by a user.');
  await create({ name: 'Missed' });
  await button('Enable').click();
  await button('Disable…').waitFor();
  await receives('key.created');
  await button('Delete…').click();
  await dialog('Delete this webhook?').getByRole('button', { name: 'Delete permanently' }).click();
  await sees('This team has no webhooks yet.');
  await goTo(`webhooks/${id}`);
  await heading('There is no such webhook');
  await goTo('audit');
  const deleted = page.getByRole('rowgroup', { name: 'Webhook deleted' });
  await deleted.getByText(`Webhook: ${new URL(url).origin}`).waitFor();
  await deleted.getByRole('link', { name: /^webhook/ }).waitFor();
});

it('a webhook that answers 410 is shown as disabled, by Latchkey and why, and can be enabled in the list', async () => {
  const { page } = user;
  answer.status = 410;
  await addWebhook({ description: 'Gone receiver' });
  await create();
  await receives('key.created');
  await goTo('webhooks');
  await sees('It answered 410 Gone.');
  answer.status = 200;
  await button('Enable Gone receiver').click();
  await page.getByText('It answered 410 Gone.').waitFor({ state: 'detached' });
  await goTo('audit?action=WEBHOOK_DISABLED');
  await page
    .getByRole('rowgroup', { name: 'Webhook disabled' })
    .getByRole('link', { name: 'Latchkey', exact: true })
    .waitFor();
});

it('a webhook that failed for too long says so', async () => {
  const id = await addWebhook({ description: 'Tired receiver' });
  await user.answerCalls((request) => request.postData()?.includes('query Webhooks') === true, {
    json: {
      data: {
        webhooks: [
          {
            id,
            url,
            description: 'Tired receiver',
            types: [],
            form: 'STANDARD',
            signature: 'V1',
            publicKey: null,
            createdAt: '2026-01-01T00:00:00.000Z',
            disabledAt: '2026-01-05T00:00:00.000Z',
            disabledReason: 'FAILING',
            previousSecretExpiresAt: null,
            lastDelivery: { outcome: 'FAILED', status: 503, attemptedAt: '2026-01-05T00:00:00.000Z' },
            health: { delivered: 0, retrying: 0, failed: 1, disablesAt: null },
          },
        ],
      },
    },
  });
  await goTo('webhooks');
  await sees('The last attempt to deliver an event failed.');
  await sees('failed, 503, ');
  await sees('0 % of 1');
});

it('shows what the server rejects at its field, and other errors above the buttons', async () => {
  const { page } = user;
  await goTo('webhooks/new');
  await page.getByLabel('URL').fill('http://user:secret@192.0.2.1/');
  await button('Create').click();
  await expect.poll(() => page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('URL').fill(url);
  const end = await fail('CreateWebhook', {
    message: 'The team has 20 webhooks.',
    extensions: { code: 'WEBHOOK_LIMIT_REACHED' },
  });
  await button('Create').click();
  await page.getByRole('alert').getByText('The team has 20 webhooks.').waitFor();
  await end();
  await button('Create').click();
  await page.getByTestId('secret').waitFor();
  await page.getByLabel('I have stored it').check();
});

it('a session without the permission sees no webhooks, and the name of the permission', async () => {
  const other = await user.openAs(['view_team', 'manage_keys']);
  expect(await other.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  for (const page of ['webhooks', 'webhooks/new', `webhooks/${user.dashboard.team}`]) {
    await other.goTo(page);
    await other.page.getByText('does not grant manage_webhooks').waitFor();
  }
  await other.close();
});

it('the team chooses what happens to leaked keys, and a session that may not change it only reads it', async () => {
  const { page } = user;
  await goTo('overview');
  await page.getByLabel('Notify and disable the key').check();
  await button('Save').click();
  await sees('For leaked keys: Notify and disable the key.');
  const reader = await user.openAs(['view_team']);
  await reader.goTo('overview');
  await reader.page.getByText('The key is rejected until someone enables it again.').waitFor();
  expect(await reader.page.getByRole('radio').count()).toBe(0);
  await reader.close();
  await goTo('audit');
  await page.getByRole('rowgroup', { name: 'Leak policy changed' }).getByText('the team').waitFor();
});
