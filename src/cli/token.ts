/** `latchkey token`: a session token for the secret of this machine. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ConfigurationError, readConfiguration } from '../config.ts';
import { type Permission, permissions } from '../domain/permission.ts';
import { signLocalToken } from '../local-token.ts';
import { localTokenSecret } from '../secrets-file.ts';
import { collect, parseId } from './options.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

interface Options {
  readonly team: readonly string[];
  readonly can: readonly Permission[];
  readonly ttl: number;
  readonly sub: string;
}

export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('print a session token signed with the local secret, alone on standard output')
    .requiredOption('--team <id>', 'a team; as often as there are some', (id: string, before?: readonly string[]) =>
      collect(parseId(id), before),
    )
    .addOption(
      new Option('--can <permissions>', `what it may do: some of ${permissions.join(', ')}, separated by commas`)
        .argParser(parsePermissions)
        .default(['view_team', 'manage_keys'], 'view_team,manage_keys'),
    )
    .addOption(
      new Option('--ttl <time>', 'how long it lasts: a number and s, m, h or d')
        .argParser(parseTtl)
        .default(3600, '1h'),
    )
    .option('--sub <name>', 'whose it is, for the audit trail', 'local')
    .action(print);
}

async function print({ team, can, ttl, sub }: Options): Promise<void> {
  const configuration = readConfiguration(process.env);
  const secret = localTokenSecret(configuration);
  if (secret === null)
    throw new ConfigurationError([
      'tokens are signed by the identity provider of JWT_PUBLIC_KEY or JWT_JWKS_URL, not here',
    ]);
  const teams = Object.fromEntries(team.map((id) => [id, can]));
  process.stdout.write(`${await signLocalToken(configuration, secret, { teams, seconds: ttl, subject: sub })}\n`);
}

function parsePermissions(text: string): Permission[] {
  return text.split(',').map((name) => {
    const permission = permissions.find((known) => known === name);
    if (permission !== undefined) return permission;
    throw new InvalidArgumentError(`Expected some of ${permissions.join(', ')}, separated by commas.`);
  });
}

function parseTtl(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (seconds === 0) throw new InvalidArgumentError('Expected a number and s, m, h or d, such as 30m.');
  return seconds;
}
