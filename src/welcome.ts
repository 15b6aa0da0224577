import type { Configuration } from './config.ts';

interface Welcome {
  readonly url: string;
  readonly verifyUrl: string;
  readonly configuration: Configuration;
  readonly firstRun: boolean;
  /** Signs in whoever follows the link to the dashboard; null where no link may be printed. */
  readonly session: { readonly token: string; readonly team: string } | null;
}

/**
 * One screen that says what to do next. Shows no secret that lasts: whoever may read those finds them in their file. The
 * link's token is in its fragment, which no browser sends to a server.
 */
export function welcome({ url, verifyUrl, configuration, firstRun, session }: Welcome): string {
  const { DATABASE_URL, DATA_DIR } = configuration;
  const database = DATABASE_URL.provider === 'sqlite' ? DATABASE_URL.file : 'PostgreSQL';
  return `
Latchkey is ready.

  Dashboard ${url}/${session === null ? '' : `#token=${session.token}`}
${session === null ? '  Sign in   with the session token that npm run -s token -- --team <team id> prints\n' : ''}  GraphQL   ${url}/graphql
  REST      ${url}/v1/keys, described at ${url}/openapi
  Verify    ${verifyUrl}/v1/verify
  Health    ${url}/healthz, ${url}/readyz
  Database  ${database}
${firstRun ? `  Secrets   generated in ${DATA_DIR}/secrets.json: back it up, and keep it from others\n` : ''}
A first key, from another terminal:

  TEAM=${session?.team ?? "$(node -p 'crypto.randomUUID()')"}
  TOKEN=$(npm run -s token -- --team $TEAM)
  curl ${url}/v1/keys -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"teamId": "'$TEAM'", "name": "My first key", "env": "test"}'

And whether it may pass: curl ${verifyUrl}/v1/verify -d '{"key": "<the secret>"}'

`;
}
