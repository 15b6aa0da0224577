import type { Configuration } from '../config/configuration.ts';
import { exampleTeam } from './local-token.ts';

/** Returns a text without lasting secrets. `token` is in a URL's fragment, which browsers do not send to servers. */
export function welcome(
  { DATABASE_URL, DATA_DIR, JWT_PUBLIC_KEY, JWT_JWKS_URL }: Configuration,
  [url, verifyUrl]: readonly [url: string, verifyUrl: string],
  firstRun: boolean,
  token: string | null,
): string {
  const database = DATABASE_URL.provider === 'sqlite' ? DATABASE_URL.file : 'PostgreSQL';
  const directory = DATA_DIR === './data' ? '' : `DATA_DIR=${quoted(DATA_DIR)} `;
  const address = url === 'http://127.0.0.1:4000' ? '' : `LATCHKEY_URL=${url} `;
  const signIn =
    JWT_PUBLIC_KEY === undefined && JWT_JWKS_URL === undefined
      ? `with the link that ${directory}${address}npm run -s sign-in -- --team <team id> prints`
      : 'with a session token of your identity provider';
  const signInNow =
    token === null ? '' : `now, with this link:\n            ${url}/#token=${token}\n            and later, `;
  return `
Latchkey is ready.

  Dashboard ${url}/
  Sign in   ${signInNow}${signIn}
  GraphQL   ${url}/graphql
  REST      ${url}/v1/keys, described at ${url}/openapi
  Verify    ${verifyUrl}/v1/verify
  Health    ${url}/healthz, ${url}/readyz
  Database  ${database}
${firstRun ? `  Secrets   generated in ${DATA_DIR}/secrets.json: back it up, and keep it secret\n` : ''}
A first key, from another terminal:

  TEAM=${exampleTeam}
  TOKEN=$(${directory}npm run -s token -- --team $TEAM)
  curl ${url}/v1/keys -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"teamId": "'$TEAM'", "name": "My first key", "env": "test"}'

Verify the key: curl ${verifyUrl}/v1/verify -d '{"key": "<the secret>"}'

`;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
