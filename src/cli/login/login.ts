/** `latchkey login`, `logout`, `whoami`: store a session token in a profile, remove it, and show whose it is. */
import { type Command, InvalidArgumentError } from 'commander';
import { readClientConfiguration } from '../../config/configuration.ts';
import { removeProfile, writeProfile } from '../../config/profiles.ts';
import { looksLikeSessionToken } from '../../domain/secret/other-credentials.ts';
import { prefixOfSecret } from '../../domain/secret/secret.ts';
import { secretFormOf } from '../../domain/secret/secret-shape.ts';
import { Failure } from '../failure.ts';
import { type JsonOption, parseId } from '../options.ts';
import { describeFields, print, printMessage, printResult } from '../print.ts';
import { readSecret } from '../prompt.ts';
import type { CliViewerQuery } from '../service/generated/graphql.ts';
import { viewer } from '../service/operations.ts';
import { executeOn } from '../service/service.ts';
import { connection, currentProfile, profileFile } from './connection.ts';
import { readViewer } from './team.ts';

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description(
      'store a session token or a management key, from a prompt or standard input, in a file that only you can read',
    )
    .option('--key', 'store a management key')
    .option('--url <url>', 'the management port of the service (default: as before, or LATCHKEY_URL)', parseOrigin)
    .option('--verify-url <url>', 'its verification port, for verify', parseOrigin)
    .option('--team <id>', 'the default team', parseId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nFor example: latchkey token --team <id> | latchkey login --team <id>')
    .action(login);

  program
    .command('logout')
    .description('remove the stored session token')
    .action(() => {
      const { name, path } = profileFile();
      removeProfile(path);
      void print(`Removed the profile ${name}. The token or key in it stays valid.\n`);
    });

  program
    .command('whoami')
    .description('show the service, the subject and the teams of the session token')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const { LATCHKEY_URL, LATCHKEY_TOKEN, LATCHKEY_TEAM, profileName } = connection();
      const { subject, teams } = await readViewer();
      const team = LATCHKEY_TEAM ?? (teams.length === 1 ? teams[0]?.id : null);
      const session = { profile: profileName, url: LATCHKEY_URL, subject, team, expiresAt: expiryOf(LATCHKEY_TOKEN) };
      printResult({ ...session, teams }, json, (result) =>
        describeFields({ ...result, teams: teams.map(describeTeam) }),
      );
    });
}

interface LoginOptions extends JsonOption {
  readonly key?: true;
  readonly url?: string;
  readonly verifyUrl?: string;
  readonly team?: string;
}

async function login({ json, ...options }: LoginOptions): Promise<void> {
  const before = currentProfile();
  const defaults = before.profile === null ? {} : { LATCHKEY_URL: before.profile.url };
  const environment = readClientConfiguration(process.env, defaults);
  const url = options.url ?? new URL(environment.LATCHKEY_URL).origin;
  const token = await readSecret(`${options.key === true ? 'Management key' : 'Session token'} for ${url}: `);
  // Anything else could be a secret, which must not be sent.
  if (options.key === true) {
    if (secretFormOf(token) !== 'management' || prefixOfSecret(token) === null) {
      throw new Failure('NO_MANAGEMENT_KEY', 'this is not a management key, such as lk_mgmt_…; nothing was sent');
    }
  } else if (!looksLikeSessionToken(token)) {
    throw new Failure(
      'NO_SESSION_TOKEN',
      'this is not a session token, which has three parts that dots separate; nothing was sent',
    );
  }
  const { subject, teams } = (await executeOn({ url, token }, viewer, {})).viewer;
  // The settings of another service are of no use.
  const kept = before.profile?.url === url ? before.profile : null;
  const team = options.team?.toLowerCase() ?? teams.find(({ id }) => id === kept?.team)?.id;
  if (team !== undefined) requireTeam(team, teams);
  const verifyUrl = options.verifyUrl ?? kept?.verifyUrl;
  writeProfile(before.path, {
    url,
    token,
    ...(verifyUrl === undefined ? {} : { verifyUrl }),
    ...(team === undefined ? {} : { team }),
  });
  printResult(
    { profile: before.name, url, subject, team: team ?? null, expiresAt: expiryOf(token) },
    json,
    ({ expiresAt }) =>
      `Logged in to ${url} as ${subject}${expiresAt === null ? '' : `, until ${expiresAt}`}. Profile: ${before.name}.`,
  );
  if (environment.LATCHKEY_TOKEN !== undefined) {
    printMessage('LATCHKEY_TOKEN is set, and takes precedence over the profile.\n');
  }
}

type Team = CliViewerQuery['viewer']['teams'][number];

function requireTeam(team: string, teams: readonly Team[]): void {
  if (teams.some(({ id }) => id === team)) return;
  const choice = teams.map(({ id }) => id).join(', ');
  throw new Failure('NO_TEAM', `--team: the session token is not for this team, but for: ${choice || 'no team'}`);
}

function describeTeam({ id, name, permissions }: Team): string {
  return `${id}${name == null ? '' : ` "${name}"`} (${permissions.join(', ')})`;
}

/** Returns when the token expires. The service has checked the signature of the token, and this time. */
function expiryOf(token = ''): string | null {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return new Date(exp * 1000).toISOString();
  } catch {
    return null;
  }
}

/** Returns only the origin, because the commands know the paths. Credentials in a URL would reach logs. */
function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.origin;
  throw new InvalidArgumentError('Expected an http or https URL without a user name.');
}
