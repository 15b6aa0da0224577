/** The built service with SQLite, and a browser in front of it that watches what the page does. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Permission } from '../../../src/domain/key/permission.ts';
import { checkedFetch } from '../../support/checked-fetch.ts';
import { type Instance, startBuilt } from '../../support/instance.ts';
import { launchBrowser } from './browser.ts';

export const jwtSecret = 'a-secret-for-the-tests-of-the-dashboard-only';
export const both: readonly Permission[] = ['view_team', 'manage_keys'];

export interface Dashboard {
  readonly service: Instance;
  readonly team: string;
  readonly open: (options?: BrowserContextOptions) => Promise<Tab>;
  readonly stop: () => Promise<void>;
}

export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every URL that was asked for, and what the page complained of. */
  readonly urls: readonly string[];
  readonly complaints: readonly string[];
  /** Goes to a place in the dashboard, such as `teams/…/keys`. */
  readonly goTo: (place: string) => Promise<void>;
  readonly signIn: (token: string) => Promise<void>;
  /** Fails if the page sent a request to another origin, or violated its Content-Security-Policy. */
  readonly close: () => Promise<void>;
}

export async function startDashboard(
  environment: NodeJS.ProcessEnv = {},
  options?: { readonly terminal: boolean },
): Promise<Dashboard> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-browser-'));
  const browser = await launchBrowser();
  const service = await startBuilt(
    {
      DATA_DIR: directory,
      JWT_SECRET: jwtSecret,
      MANAGEMENT_RATE_LIMIT: '1000000',
      FAILED_TOKEN_LIMIT: '1000000',
      ...environment,
    },
    options,
  );
  if (service.url === '') throw new Error(`the service did not start: ${service.output()}`);
  return {
    service,
    team: randomUUID(),
    open: (options) => openTab(browser, service.url, options),
    stop: async () => {
      await browser.close();
      await service.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The same dashboard with a new team, for a test that a repetition must find nothing of. Any id is a team. */
export function withNewTeam(dashboard: Dashboard): Dashboard {
  return { ...dashboard, team: randomUUID() };
}

export function tokenFor(teams: Readonly<Record<string, readonly Permission[]>>, expiresIn = 3600): string {
  return jwt.sign({ teams }, jwtSecret, { subject: 'ada@example.com', expiresIn });
}

async function openTab(browser: Browser, url: string, options?: BrowserContextOptions): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const urls: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => urls.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser's own note of a rejection, which the page deals with.
    const rejection = /^Failed to load resource/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !rejection) complaints.push(message.text());
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
      // The first page that it leads to by itself; going elsewhere before would race with that.
      await page.locator('h1:not(:text("Sign in")), main [role=status]').first().waitFor();
    },
    close: async () => {
      expect(complaints).toEqual([]);
      expect(urls.filter((asked) => !asked.startsWith(`${url}/`) && !asked.startsWith('blob:'))).toEqual([]);
      await context.close();
    },
  };
}

/** A call of the management port, for what a test needs to be there. */
export async function callGraphQL(service: Instance, token: string, query: string, variables: object) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what a test asked for, it knows.
  const answer: any = await response.json();
  if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
}

export interface Created {
  readonly id: string;
  readonly prefix: string;
  readonly secret: string;
}

export async function createKey(dashboard: Dashboard, input: object = {}): Promise<Created> {
  const { createKey } = await callGraphQL(
    dashboard.service,
    tokenFor({ [dashboard.team]: both }),
    'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret apiKey { id prefix } } }',
    { input: { teamId: dashboard.team, name: 'A key', env: 'live', ...input } },
  );
  return { ...createKey.apiKey, secret: createKey.secret };
}

/** Something that a test or its browser waits for. */
export class Signal {
  send: () => void = () => undefined;
  readonly sent = new Promise<void>((resolve) => {
    this.send = resolve;
  });
}

interface HeldOperation {
  /** Resolves when the page has sent a request, and has drawn that it waits for the answer. */
  readonly asked: () => Promise<void>;
  /** Lets the requests go on to the service, after the first one was sent. */
  readonly answer: () => Promise<void>;
}

/** Holds the requests of an operation, so that a test can act while the page waits for the answer. */
export async function holdOperation({ context, page }: Tab, operation: string): Promise<HeldOperation> {
  const [released, asked] = [new Signal(), new Signal()];
  await context.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes(operation) === true) {
      asked.send();
      await released.sent;
    }
    await route.fallback();
  });
  return {
    asked: async () => {
      await asked.sent;
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    },
    answer: async () => {
      await asked.sent;
      released.send();
      await context.unroute('**/graphql');
    },
  };
}

/** What the verification port says. */
export async function verdictOn({ verifyUrl }: Instance, question: object): Promise<string> {
  const response = await checkedFetch(`${verifyUrl}/v1/verify`, { method: 'POST', body: JSON.stringify(question) });
  return ((await response.json()) as { readonly code: string }).code;
}
