import type { Configuration } from './config.ts';

/** One screen that says what to do next. Shows no secret: whoever may read them finds them in their file. */
export function welcome({
  url,
  configuration,
  firstRun,
}: {
  url: string;
  configuration: Configuration;
  firstRun: boolean;
}): string {
  const { DATABASE_URL, DATA_DIR } = configuration;
  const database = DATABASE_URL.provider === 'sqlite' ? DATABASE_URL.file : 'PostgreSQL';
  return `
Latchkey is ready.

  GraphQL   ${url}/graphql
  REST      ${url}/v1/keys
  Health    ${url}/healthz, ${url}/readyz
  Database  ${database}
${firstRun ? `  Secrets   generated in ${DATA_DIR}/secrets.json: back it up, and keep it from others\n` : ''}
A first key, from another terminal:

  TEAM=$(node -p 'crypto.randomUUID()')
  TOKEN=$(npm run -s token -- --team $TEAM)
  curl ${url}/v1/keys -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d "{\\"teamId\\": \\"$TEAM\\", \\"name\\": \\"My first key\\", \\"env\\": \\"test\\"}"

`;
}
