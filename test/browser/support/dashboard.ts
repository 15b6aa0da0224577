/** The dashboard of the built service, in a browser that records what the page does. */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { Permission } from '../../../src/domain/key/permission.ts';
import { checkedFetch } from '../../support/checked-fetch.ts';
import type { Instance } from '../../support/instance.ts';
import { sharedBrowser } from './browser.ts';
import { jwtSecret, startUnlimited } from './shared-service.ts';

export { jwtSecret };
export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
export const both: readonly Permission[] = ['view_team', 'manage_keys'];
/** For a machine that is busy with other work. What a test waits for ends the wait. */
const timeoutMs = 60_000;

type Service = Pick<Instance, 'url' | 'verifyUrl'>;

export interface Dashboard {
  readonly service: Service;
  readonly team: string;
  readonly open: (options?: BrowserContextOptions) => Promise<Tab>;
  readonly stop: () => Promise<unknown>;
}

export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The URLs of all requests. */
  readonly urls: readonly string[];
  /** Errors and warnings of the page. */
  readonly complaints: readonly string[];
  /** Goes to a place in the dashboard, such as `teams/…/keys`. */
  readonly goTo: (place: string) => Promise<void>;
  readonly signIn: (token: string) => Promise<void>;
  /** Fails if the page sent a request to another origin, or violated its Content-Security-Policy. */
  readonly close: () => Promise<void>;
}

/** Returns the service of the run, with a new team. */
export async function startDashboard(): Promise<Dashboard> {
  return dashboardOf(await sharedBrowser(), inject('urls'), async () => undefined);
}

/** Starts a service of its own. */
export async function startOwnDashboard(environment: NodeJS.ProcessEnv, options?: { readonly terminal: boolean }) {
  const [browser, service] = [await sharedBrowser(), await startUnlimited(environment, options)];
  return { ...dashboardOf(browser, service, () => service.stop()), output: service.output };
}

function dashboardOf(browser: Browser, service: Service, stop: Dashboard['stop']): Dashboard {
  return { service, team: randomUUID(), open: (options) => openTab(browser, service.url, options), stop };
}

export function tokenFor(teams: Readonly<Record<string, readonly Permission[]>>, expiresIn = 3600): string {
  return jwt.sign({ teams }, jwtSecret, { subject: 'ada@example.com', expiresIn });
}

async function openTab(browser: Browser, url: string, options?: BrowserContextOptions): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  const urls: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => urls.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser's own message about a rejected request, which the page handles.
    const isRejection = /^Failed to load resource/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRejection) complaints.push(message.text());
  });
  const goTo = async (place: string) => {
    await page.goto(`${url}/#/${place}`);
  };
  return {
    context,
    page,
    urls,
    complaints,
    goTo,
    signIn: async (token) => {
      await page.goto(`${url}/#token=${token}`);
      const agree = page.getByRole('button', { name: 'Yes, sign in' });
      const asked = page
        .locator('h1:not(:text("Sign in"), :text("Opening")), main [role=status], [role=dialog]')
        .or(agree)
        .first();
      await asked.waitFor();
      if (await agree.isVisible()) await agree.click();
      // The first page that it leads to by itself; going elsewhere before would race with that.
      await page.locator('h1:not(:text("Sign in"), :text("Opening")), main [role=status]').first().waitFor();
    },
    close: async () => {
      expect(complaints).toEqual([]);
      expect(urls.filter((sent) => !sent.startsWith(`${url}/`) && !sent.startsWith('blob:'))).toEqual([]);
      await context.close();
    },
  };
}

/** Calls the management port, to prepare or check what a test is about. */
export async function callGraphQL(service: Service, token: string, query: string, variables: object) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the test knows the fields that it selects.
  const answer: any = await response.json();
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
}

export interface Created {
  readonly id: string;
  readonly prefix: string;
  readonly secret: string;
}

export async function createKey({ service, team }: Pick<Dashboard, 'service' | 'team'>, input: object = {}) {
  const { createKey } = await callGraphQL(
    service,
    tokenFor({ [team]: both }),
    'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret apiKey { id prefix } } }',
    { input: { teamId: team, name: 'A key', env: 'live', ...input } },
  );
  return { ...createKey.apiKey, secret: createKey.secret } as Created;
}

/** An event that a test or its browser waits for. */
export class Signal {
  send: () => void = () => undefined;
  readonly sent = new Promise<void>((resolve) => {
    this.send = resolve;
  });
}

/** Holds requests, so that a test can act while the page waits for the answer. */
interface Held {
  /** Resolves when the page has sent a request, and has drawn that it waits for the answer. */
  readonly asked: () => Promise<void>;
  /** Lets the requests go on to the service, after the first one was sent. */
  readonly answer: () => Promise<void>;
}

/** @param part of an operation, or of the name of a script of the page */
export async function hold({ context, page }: Tab, part: string): Promise<Held> {
  const [released, asked] = [new Signal(), new Signal()];
  const isHeld = (url: URL) => url.pathname === '/graphql' || url.pathname.includes(part);
  await context.route(isHeld, async (route) => {
    if (route.request().url().includes(part) || route.request().postData()?.includes(part) === true) {
      asked.send();
      await released.sent;
    }
    await route.fallback();
  });
  return {
    asked: async () => {
      await asked.sent;
      await nextFrame(page);
    },
    answer: async () => {
      await asked.sent;
      released.send();
      await context.unroute(isHeld);
    },
  };
}

/** Resolves when the page has drawn what it knows. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Returns the verdict of the verification port. */
export async function verdictOn({ verifyUrl }: Service, request: object): Promise<string> {
  const response = await checkedFetch(`${verifyUrl}/v1/verify`, { method: 'POST', body: JSON.stringify(request) });
  return ((await response.json()) as { readonly code: string }).code;
}
