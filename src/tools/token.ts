/** `npm run token`: prints a session token for the local secret, and nothing else, on standard output. */
import { parseArgs } from 'node:util';
import jwt from 'jsonwebtoken';
import { ConfigurationError, readConfiguration } from '../config.ts';
import { authenticate, type TokenRules } from '../manage/session-token.ts';
import { secretTokenKeys } from '../manage/token-keys.ts';
import { localTokenSecret } from '../secrets-file.ts';

const usage = `usage: npm run -s token -- --team <uuid> [--team <uuid>…] [--can view_team,manage_keys] [--ttl 1h] [--sub name]`;
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function readArguments() {
  const { values } = parseArgs({
    options: {
      team: { type: 'string', multiple: true, default: [] },
      can: { type: 'string', default: 'view_team,manage_keys' },
      ttl: { type: 'string', default: '1h' },
      sub: { type: 'string', default: 'local' },
    },
  });
  const permissions = values.can.split(',');
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(values.ttl) ?? [];
  const seconds = Number(count) * (units[unit] ?? 0);
  const problems = [
    ...(values.team.length === 0 ? ['--team: a team id is needed'] : []),
    ...(values.team.every((team) => uuid.test(team)) ? [] : ['--team: expected a UUID']),
    ...(permissions.every((name) => name === 'view_team' || name === 'manage_keys')
      ? []
      : ['--can: expected view_team, manage_keys or both, separated by a comma']),
    ...(seconds > 0 ? [] : ['--ttl: expected a number and s, m, h or d, such as 30m']),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { teams: Object.fromEntries(values.team.map((team) => [team, permissions])), seconds, subject: values.sub };
}

async function main(): Promise<void> {
  const { teams, seconds, subject } = readArguments();
  const configuration = readConfiguration(process.env);
  const secret = localTokenSecret(configuration);
  const { JWT_TEAMS_CLAIM, JWT_ISSUER, JWT_AUDIENCE, JWT_MAX_LIFETIME } = configuration;
  if (secret === null)
    throw new ConfigurationError([
      'tokens are signed by the identity provider of JWT_PUBLIC_KEY or JWT_JWKS_URL, not here',
    ]);
  if (seconds > JWT_MAX_LIFETIME)
    throw new ConfigurationError([`--ttl: at most ${JWT_MAX_LIFETIME} seconds are allowed (JWT_MAX_LIFETIME)`]);
  const token = jwt.sign({ [JWT_TEAMS_CLAIM]: teams }, secret, {
    algorithm: 'HS256',
    subject,
    expiresIn: seconds,
    ...(JWT_ISSUER === undefined ? {} : { issuer: JWT_ISSUER }),
    ...(JWT_AUDIENCE === undefined ? {} : { audience: JWT_AUDIENCE }),
  });
  // By the service's own rules, so that no token is handed out that the service then refuses.
  const rules: TokenRules = {
    keys: secretTokenKeys(secret),
    teamsClaim: JWT_TEAMS_CLAIM,
    issuer: JWT_ISSUER,
    audience: JWT_AUDIENCE,
    maxLifetimeSeconds: JWT_MAX_LIFETIME,
  };
  await authenticate(`Bearer ${token}`, rules, new Date());
  process.stdout.write(`${token}\n`);
}

try {
  await main();
} catch (error) {
  console.error(
    error instanceof ConfigurationError
      ? error.problems.join('\n')
      : error instanceof Error
        ? error.message
        : String(error),
  );
  console.error(usage);
  process.exit(1);
}
