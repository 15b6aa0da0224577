/** The session cookie of a browser, opened and written with the keys of the service. */
import { type BrowserSession, SessionSeal } from '../../src/auth/browser-session.ts';
import { existingSecrets } from '../../src/config/secrets-file.ts';
import type { Browser } from './browser.ts';

/** A service, of which only the directory of its generated secrets is needed. */
interface Keeper {
  readonly database: { readonly directory: string };
}

/** Returns the keys that encrypt the cookies of a service, which generated them. */
export function cookieKeys({ database }: Keeper) {
  const secrets = existingSecrets(database.directory);
  if (secrets === null) throw new Error('the service has no generated secrets');
  return secrets.signingKeks;
}

/** Changes the session in the cookie, for example to a time when it has to be renewed. */
export async function changeSession(
  running: Keeper,
  browser: Browser,
  change: (session: BrowserSession) => Partial<BrowserSession>,
): Promise<BrowserSession> {
  const seal = new SessionSeal(cookieKeys(running));
  const [[name, cookie] = []] = [...browser.cookies].filter(([cookieName]) => cookieName.includes('latchkey-session'));
  const session = await seal.open(cookie?.replace(/^1\./, '') ?? '');
  if (name === undefined || session === null) throw new Error('the browser has no session in one cookie');
  const changed = { ...session, ...change(session) };
  browser.cookies.set(name, `1.${await seal.seal(changed)}`);
  return changed;
}
