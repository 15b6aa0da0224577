/** The user of a dashboard: each test of a file has a tab in which the user is signed in, and closes it at the end. */
import type { BrowserContextOptions, Request, Route } from 'playwright-core';
import { beforeAll, beforeEach, expect } from 'vitest';
import type { Permission } from '../../../src/domain/key/permission.ts';
import {
  both,
  callGraphQL,
  createKey,
  type Dashboard,
  hold,
  startDashboard,
  type Tab,
  tokenFor,
  verdictOn,
} from './dashboard.ts';

export const all: readonly Permission[] = [...both, 'import_keys', 'manage_webhooks', 'manage_access', 'manage_policy'];

/** The paths of calls that a test can answer in place of the service. */
const answered = /\/(graphql|session\/viewer)$/;

/** An operation is a path, or a part of a GraphQL document. */
const isCallOf = (operation: string, request: Request) =>
  operation.startsWith('/') ? request.url().endsWith(operation) : request.postData()?.includes(operation) === true;

export const leakUrl = 'https://git.example.com/shop/blob/main/.env';

interface Options {
  readonly permissions?: readonly Permission[];
  readonly otherTeams?: readonly string[];
  readonly tab?: BrowserContextOptions;
  /** False: the tests sign in themselves. */
  readonly signedIn?: boolean;
  /** Prepares one team for all tests of the file. Without it, each test has a team of its own. */
  readonly prepare?: (dashboard: Dashboard) => Promise<unknown>;
}

export function userOf({ permissions = both, otherTeams = [], tab: options, signedIn = true, prepare }: Options = {}) {
  let dashboard: Dashboard;
  let tab: Tab;
  const token = () => tokenFor(Object.fromEntries([dashboard.team, ...otherTeams].map((team) => [team, permissions])));
  if (prepare !== undefined) {
    beforeAll(async () => {
      dashboard = await startDashboard();
      await prepare(dashboard);
    });
  }
  beforeEach(async () => {
    if (prepare === undefined) dashboard = await startDashboard();
    tab = await dashboard.open(options);
    if (signedIn) await tab.signIn(token());
    return tab.close;
  });
  /** Calls the management port with all permissions. */
  const call = async (query: string, variables: object) =>
    await callGraphQL(dashboard.service, tokenFor({ [dashboard.team]: all }), query, variables);
  /** Returns what a mutation of one key returns. */
  const mutate = async (id: string, mutation: string, selected = 'apiKey { id }') =>
    await call(`mutation ($id: UUID!) { result: ${mutation} { ${selected} } }`, { id });
  /** Answers calls in place of the service. Returns a function that ends it. */
  const answerCalls = async (isMeant: (request: Request) => boolean, answer: Parameters<Route['fulfill']>[0]) => {
    const route = async (route: Route) => (isMeant(route.request()) ? route.fulfill(answer) : route.fallback());
    await tab.context.route(answered, route);
    return () => tab.context.unroute(answered, route);
  };
  /** Answers an operation, or all of them, in place of the service. Returns a function that ends it. */
  const answerWith = async (operation: string, answer: Parameters<Route['fulfill']>[0]) =>
    await answerCalls((request) => isCallOf(operation, request), answer);
  return {
    get dashboard() {
      return dashboard;
    },
    get tab() {
      return tab;
    },
    get page() {
      return tab.page;
    },
    get context() {
      return tab.context;
    },
    token,
    button: (name: string) => tab.page.getByRole('button', { name, exact: true }),
    dialog: (name?: string) => tab.page.getByRole('dialog', name === undefined ? {} : { name }),
    /** Waits until no dialog is shown. */
    dialogCloses: () => tab.page.getByRole('dialog').waitFor({ state: 'detached' }),
    /** Waits for a text on the page. */
    sees: (text: string) => tab.page.getByText(text).first().waitFor(),
    /** Waits for the heading of the page. */
    heading: (name: string) => tab.page.getByRole('heading', { name, exact: true, level: 1 }).waitFor(),
    /** Goes to a page of the team, such as `keys`. */
    goTo: async (page: string) => await tab.goTo(`teams/${dashboard.team}/${page}`),
    /** Opens another tab, with other permissions on the team, and on no other team. */
    openAs: async (granted: readonly Permission[], options?: BrowserContextOptions) => {
      const other = await dashboard.open(options);
      await other.signIn(tokenFor({ [dashboard.team]: granted }));
      return { ...other, goTo: async (page: string) => await other.goTo(`teams/${dashboard.team}/${page}`) };
    },
    create: async (input: object = {}) => await createKey(dashboard, input),
    call,
    update: async (id: string, input: object) =>
      await call(
        'mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { id } } }',
        { id, input },
      ),
    mutate,
    revoke: async (id: string) => await mutate(id, 'revokeKey(id: $id)'),
    /** Returns the new secret. The previous one is accepted for another hour. */
    rotate: async (id: string): Promise<string> =>
      (await mutate(id, 'rotateKey(id: $id, overlapSeconds: 3600)', 'secret')).result.secret,
    /** Reports a secret as leaked, as a scanner of the network does. */
    leak: async (secret: string, place: object = {}) => {
      const match = { token: secret, type: 'latchkey', url: leakUrl, source: 'commit', ...place };
      const request = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([match]),
      };
      const response = await fetch(`${dashboard.service.verifyUrl}/v1/leaks`, request);
      expect(await response.json()).toMatchObject([{ label: 'true_positive' }]);
    },
    verdict: async (request: object) => await verdictOn(dashboard.service, request),
    hold: async (part: string) => await hold(tab, part),
    /** Lets an operation fail. Returns a function that ends it. */
    fail: (operation: string, error: object) =>
      answerWith(operation, { status: 503, json: { data: null, errors: [error] } }),
    /**
     * Lets the service reject the session from this operation on, so that no earlier call of the page opens the dialog
     * over what the test clicks. Returns a function that ends it.
     */
    expire: async (operation: string) => {
      const error = { message: 'The session has ended.', extensions: { code: 'UNAUTHENTICATED' } };
      let isOver = false;
      const isRejected = (request: Request) => {
        isOver ||= request.postData()?.includes(operation) === true;
        return isOver && request.headers().authorization === undefined;
      };
      return await answerCalls(isRejected, { status: 401, json: { errors: [error] } });
    },
    answerWith,
    answerCalls,
    /** Answers the dialog that asks for another token. */
    signInAgain: async (by = token()) => {
      const dialog = tab.page.getByRole('dialog', { name: 'Sign in again' });
      await dialog.getByLabel('Session token', { exact: true }).fill(by);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
    },
    /** Leaves the dashboard, and forgets the session of the browser. */
    forget: async () => {
      await tab.context.clearCookies();
      await tab.page.goto('about:blank');
    },
    /** The variables of each call of an operation from now on. */
    callsOf: (operation: string) => {
      const calls: { readonly keys?: readonly unknown[]; readonly filter?: { readonly search?: string } }[] = [];
      tab.page.on('request', (request) => {
        if (isCallOf(operation, request)) calls.push(request.postDataJSON().variables);
      });
      return calls;
    },
    clipboard: () => tab.page.evaluate<string>('navigator.clipboard.readText()'),
    /** Returns a property of the element that has the focus: by default, its text. */
    focused: (property = 'textContent') => tab.page.evaluate<string>(`document.activeElement.${property}`),
  };
}
