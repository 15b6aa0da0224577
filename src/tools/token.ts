/** `npm run token`: prints a session token for the local secret, and nothing else, on standard output. */
import { parseArgs } from 'node:util';
import { ConfigurationError, readConfiguration } from '../config.ts';
import type { Permission } from '../domain/permission.ts';
import { signLocalToken } from '../local-token.ts';
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
  const permissions = values.can.split(',').filter(isPermission);
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(values.ttl) ?? [];
  const seconds = Number(count) * (units[unit] ?? 0);
  const problems = [
    ...(values.team.length === 0 ? ['--team: a team id is needed'] : []),
    ...(values.team.every((team) => uuid.test(team)) ? [] : ['--team: expected a UUID']),
    ...(permissions.length === values.can.split(',').length
      ? []
      : ['--can: expected view_team, manage_keys or both, separated by a comma']),
    ...(seconds > 0 ? [] : ['--ttl: expected a number and s, m, h or d, such as 30m']),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { teams: Object.fromEntries(values.team.map((team) => [team, permissions])), seconds, subject: values.sub };
}

function isPermission(name: string): name is Permission {
  return name === 'view_team' || name === 'manage_keys';
}

async function main(): Promise<void> {
  const { teams, seconds, subject } = readArguments();
  const configuration = readConfiguration(process.env);
  const secret = localTokenSecret(configuration);
  if (secret === null)
    throw new ConfigurationError([
      'tokens are signed by the identity provider of JWT_PUBLIC_KEY or JWT_JWKS_URL, not here',
    ]);
  const token = await signLocalToken(configuration, secret, { teams, subject, seconds });
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
