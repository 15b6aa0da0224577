import type { Configuration } from '../config/configuration.ts';
import { exampleTeam, localTokenSeconds } from './local-token.ts';

/** Returns a text without lasting secrets. `token` is in a URL's fragment, which browsers do not send to servers. */
export function welcome(
  configuration: Configuration,
  [url, verifyUrl]: readonly [url: string, verifyUrl: string],
  firstRun: boolean,
  token: string | null,
): string {
  const { DATABASE_URL, DATA_DIR, PUBLIC_URL } = configuration;
  const database = DATABASE_URL.provider === 'sqlite' ? DATABASE_URL.file : 'PostgreSQL';
  // Cookies of the dashboard are for this origin only.
  const dashboard = PUBLIC_URL?.origin ?? url;
  const signIn =
    token === null
      ? ''
      : `once, within 10 minutes, with this link:\n            ${dashboard}/#token=${token}\n            and later, `;
  return `
Latchkey is ready.

  Dashboard ${dashboard}/
  Sign in   ${signIn}${waysToSignIn(configuration, dashboard)}
  GraphQL   ${url}/graphql
  REST      ${url}/v1/keys, described at ${url}/openapi
  Verify    ${verifyUrl}/v1/verify
  Health    ${url}/healthz, ${url}/readyz
  Database  ${database}
${firstRun ? `  Secrets   generated in ${DATA_DIR}/secrets.json: back it up, and keep it secret\n` : ''}
A first key, from another terminal${isSigner(configuration) ? '' : ', with a session token'}:

  TEAM=${isSigner(configuration) ? exampleTeam : "'<team id>'"}
  TOKEN=${isSigner(configuration) ? `$(${tokenCommand(configuration)})` : "'<session token>'"}
  curl ${url}/v1/keys -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"teamId": "'$TEAM'", "name": "My first key", "env": "test"}'

${isSigner(configuration) ? secretNeeded(configuration) : tokenNeeded(configuration)}Verify the key: curl ${verifyUrl}/v1/verify ${verifierToken(configuration)}-d '{"key": "<the secret>"}'

`;
}

/** Whether this service has the secret that signs session tokens, so that its commands can issue them. */
function isSigner({ JWT_PUBLIC_KEY, JWT_JWKS_URL }: Configuration): boolean {
  return JWT_PUBLIC_KEY === undefined && JWT_JWKS_URL === undefined;
}

function waysToSignIn(configuration: Configuration, dashboard: string): string {
  const { OIDC_ISSUER, JWT_TEAMS_CLAIM } = configuration;
  if (OIDC_ISSUER !== undefined) {
    return `at ${dashboard}/ with an account of ${OIDC_ISSUER.host}, whose claim ${JWT_TEAMS_CLAIM} has the user's teams
            The redirect URI there is ${dashboard}/session/callback`;
  }
  if (!isSigner(configuration)) return `with a session token of ${signerOf(configuration)}`;
  const address = dashboard === 'http://127.0.0.1:4000' ? '' : `LATCHKEY_URL=${dashboard} `;
  const needed = configuration.JWT_SECRET === undefined ? '' : ', with the same JWT_SECRET';
  return `with the link that ${address}${variables(configuration)}npm run -s sign-in -- --team <team id>${lifetime(configuration)} prints${needed}`;
}

function tokenCommand(configuration: Configuration): string {
  return `${variables(configuration)}npm run -s token -- --team $TEAM${lifetime(configuration)}`;
}

function secretNeeded({ JWT_SECRET }: Configuration): string {
  return JWT_SECRET === undefined
    ? ''
    : 'The token is signed with JWT_SECRET: set it there too, to the same value.\n\n';
}

/** Returns who issues the session tokens, without the URL, which may contain a secret. */
function signerOf({ JWT_PUBLIC_KEY }: Configuration): string {
  return JWT_PUBLIC_KEY === undefined
    ? 'the provider of JWT_JWKS_URL'
    : 'the owner of the private key of JWT_PUBLIC_KEY';
}

/** Returns where a session token comes from, and its claims. */
function tokenNeeded(configuration: Configuration): string {
  const { JWT_PUBLIC_KEY, JWT_TEAMS_CLAIM, JWT_ISSUER, JWT_AUDIENCE, JWT_MAX_LIFETIME } = configuration;
  const form = JWT_PUBLIC_KEY === undefined ? 'RS256 or ES256, with kid' : JWT_PUBLIC_KEY.algorithm;
  const claims = [
    'sub',
    'iat',
    `exp (at most ${JWT_MAX_LIFETIME} s after iat)`,
    ...(JWT_ISSUER === undefined ? [] : [`iss ${JSON.stringify(JWT_ISSUER)}`]),
    ...(JWT_AUDIENCE === undefined ? [] : [`aud ${JSON.stringify(JWT_AUDIENCE)}`]),
  ];
  return `Session tokens come from ${signerOf(configuration)}: a JWT (${form}) with the claims
  ${claims.join(', ')},
  and ${JSON.stringify(JWT_TEAMS_CLAIM)}: {"<team id>": ["view_team", "manage_keys"]}

`;
}

/** Returns the variables that the commands need to issue a token for this service, without secrets. */
function variables({ JWT_SECRET, DATA_DIR, JWT_ISSUER, JWT_AUDIENCE, JWT_TEAMS_CLAIM }: Configuration): string {
  const needed = {
    DATA_DIR: JWT_SECRET !== undefined || DATA_DIR === './data' ? undefined : DATA_DIR,
    JWT_ISSUER,
    JWT_AUDIENCE,
    JWT_TEAMS_CLAIM: JWT_TEAMS_CLAIM === 'teams' ? undefined : JWT_TEAMS_CLAIM,
  };
  return Object.entries(needed)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quoted(value)} `]))
    .join('');
}

function lifetime({ JWT_MAX_LIFETIME }: Configuration): string {
  return JWT_MAX_LIFETIME < localTokenSeconds ? ` --ttl ${JWT_MAX_LIFETIME}s` : '';
}

function verifierToken({ VERIFIER_TOKENS, FEED_TOKENS }: Configuration): string {
  if (VERIFIER_TOKENS === undefined && FEED_TOKENS === undefined) return '';
  const variable = VERIFIER_TOKENS === undefined ? 'FEED_TOKENS' : 'VERIFIER_TOKENS';
  return `-H 'Authorization: Bearer <one of ${variable}>' `;
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
