/** `latchkey token` and `sign-in`: print a session token signed with the local secret, or a link with such a token. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Configuration,
  ConfigurationError,
  readClientConfiguration,
  readConfiguration,
} from '../../config/configuration.ts';
import { localTokenSecret } from '../../config/secrets-file.ts';
import { localUrlOf } from '../../config/url.ts';
import { type Permission, permissions } from '../../domain/key/permission.ts';
import { parseTeamName } from '../../domain/key/team-name.ts';
import { exampleTeam, localTokenSeconds, signLocalToken } from '../../service/local-token.ts';
import { collect, parseDuration, parseId } from '../options.ts';
import { print } from '../print.ts';

interface TokenOptions {
  readonly team?: readonly string[];
  readonly teamName?: readonly NamedTeam[];
  readonly can: readonly Permission[];
  readonly ttl: number;
  readonly sub: string;
}

interface NamedTeam {
  readonly id: string;
  readonly name: string;
}

export function addTokenCommands(program: Command): void {
  addTokenOptions(program.command('token'))
    .description('print a session token signed with the local secret, as the only text on standard output')
    .action(async (options: TokenOptions) => {
      void print(`${await issueToken(readConfiguration(process.env), options)}\n`);
    });

  addTokenOptions(program.command('sign-in'))
    .description(
      'print a link that signs in to the dashboard once, within 10 minutes, as the only text on standard output',
    )
    .action(async (options: TokenOptions) => {
      const configuration = readConfiguration(process.env);
      const defaults = { LATCHKEY_URL: localUrlOf(configuration.HOST, configuration.PORT) };
      const { LATCHKEY_URL } = readClientConfiguration(process.env, defaults);
      // The token is in the fragment, which browsers do not send to a server.
      void print(`${new URL(`/#token=${await issueToken(configuration, options, true)}`, LATCHKEY_URL)}\n`);
    });
}

function addTokenOptions(command: Command): Command {
  return command
    .option(
      '--team <id>',
      `a team; can be given several times (default: the example team, ${exampleTeam})`,
      (id: string, before?: readonly string[]) => collect(parseId(id), before),
    )
    .option(
      '--team-name <id=name>',
      'a name for a team, for people; can be given several times',
      (text: string, before: readonly NamedTeam[] = []) => [...before, parseNamedTeam(text)],
    )
    .addOption(
      new Option('--can <permissions>', `the permissions: some of ${permissions.join(', ')}, separated by commas`)
        .argParser(parsePermissions)
        .default(['view_team', 'manage_keys'], 'view_team,manage_keys'),
    )
    .addOption(
      new Option('--ttl <time>', 'the lifetime: a number and s, m, h or d')
        .argParser(parseDuration)
        .default(localTokenSeconds, '1h'),
    )
    .option('--sub <name>', 'the subject, for the audit trail', 'local');
}

/** Throws ConfigurationError if an identity provider signs the tokens. */
async function issueToken(
  configuration: Configuration,
  { team = [exampleTeam], teamName = [], can, ttl, sub }: TokenOptions,
  isForLink = false,
): Promise<string> {
  const secret = localTokenSecret(configuration);
  if (secret === null) {
    throw new ConfigurationError([
      'tokens are signed by the identity provider of JWT_PUBLIC_KEY or JWT_JWKS_URL, not here',
    ]);
  }
  const teams = Object.fromEntries(team.map((id) => [id, can]));
  const names = Object.fromEntries(teamName.map(({ id, name }) => [id, name]));
  return await signLocalToken(configuration, secret, { teams, names, seconds: ttl, subject: sub, isForLink });
}

function parseNamedTeam(text: string): NamedTeam {
  const [, id = '', nameText = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const name = parseTeamName(nameText);
  if (!name.ok) throw new InvalidArgumentError(`Expected <team id>=<name>: the name ${name.problem}.`);
  return { id: parseId(id), name: name.value };
}

function parsePermissions(text: string): Permission[] {
  return text.split(',').map((name) => {
    const permission = permissions.find((known) => known === name);
    if (permission !== undefined) return permission;
    throw new InvalidArgumentError(`Expected some of ${permissions.join(', ')}, separated by commas.`);
  });
}
