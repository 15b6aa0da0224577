/** Serves the dashboard: its page and the static files. */
import express, { type Request, type RequestHandler, type Router } from 'express';
import type { KeyLocations } from '../../domain/key-location.ts';
import { onlyGet, pagesDirectory, readPage } from './page.ts';
import { staticFiles } from './static-files.ts';

export interface DashboardOptions {
  /** Returns the URL of the verification port that the page shows, from the host name of the client's request. */
  readonly verifyUrl: (hostname: string) => string;
  /** Where APIs expect keys, for the texts and commands of the page. */
  readonly keyLocations: KeyLocations;
  /** Whether `/graphql` serves GraphiQL, so that other pages link to it. */
  readonly graphiql: boolean;
  /** The host of the identity provider where people sign in; empty if there is none. */
  readonly signIn: string;
  /** The claim in which session tokens and the identity provider name the teams. */
  readonly teamsClaim: string;
}

export function dashboardRouter(
  { verifyUrl, keyLocations, graphiql, signIn, teamsClaim }: DashboardOptions,
  enter: RequestHandler,
): Router {
  const sendPage = readPage('index.html');
  const router = express.Router();
  const pages = ['/', '/index.html'];
  router.all(pages, onlyGet, enter);
  router.get(pages, (request, response) => {
    sendPage(response, {
      LATCHKEY_VERIFY_URL: verifyUrl(request.hostname),
      LATCHKEY_KEY_INSTRUCTION: keyLocations.instruction,
      LATCHKEY_KEY_LOCATIONS: keyLocations.names.join(','),
      LATCHKEY_KEY_OPTION: curlOption(keyLocations),
      LATCHKEY_GRAPHIQL: String(graphiql),
      LATCHKEY_SIGN_IN: signIn,
      LATCHKEY_TEAMS_CLAIM: teamsClaim,
      // So that the page does not send a request that must be rejected. Browsers log it as an error.
      LATCHKEY_SESSION: mayHaveSession(request) ? 'possible' : 'none',
    });
  });
  router.use(staticFiles(pagesDirectory, enter));
  return router;
}

/** Whatever the origin of the service is, on which the whole name of the cookie depends (`session/cookies.ts`). */
function mayHaveSession({ headers: { cookie = '' } }: Request): boolean {
  return cookie.includes('latchkey-session');
}

/** Returns the option of curl that sends the key in `$API_KEY` at the first place. */
function curlOption({ list: [first] }: KeyLocations): string {
  const [, credentials] = /^Basic (.*)$/.exec(first?.valueFor('$API_KEY') ?? '') ?? [];
  if (credentials !== undefined) return `-u "${Buffer.from(credentials, 'base64').toString()}"`;
  return `-H "${first?.instruction.replace('<key>', () => '$API_KEY')}"`;
}
