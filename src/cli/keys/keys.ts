/** `latchkey keys`: lists, creates and updates the keys of a team. */
import { type Command, type InvalidArgumentError, Option } from 'commander';
import { collect, type JsonOption, keyCommand, orInvalid, parseId } from '../options.ts';
import { describeFields, printResult, tableOf } from '../print.ts';
import { addExportCommands } from './export.ts';
import type { CliKeyFragment, KeyEnv, KeyState } from './generated/graphql.ts';
import { addImportCommand } from './import.ts';
import { addLifecycleCommands } from './key-lifecycle.ts';
import { addSettingOptions, removalsOf, removeOption, settingsOf } from './key-settings.ts';
import { createKey, updateKey } from './operations.ts';
import { execute, readKeys } from './service.ts';
import { addSourcesCommand } from './sources.ts';

const states: Readonly<Record<string, KeyState>> = {
  active: 'ACTIVE',
  expired: 'EXPIRED',
  disabled: 'DISABLED',
  revoked: 'REVOKED',
};
const envOption = () => new Option('--env <env>', 'the environment').choices(['live', 'test']);

export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description("a team's keys: list, create, change, rotate, revoke, import, export");

  keys
    .command('list')
    .description('list the keys of a team, newest first; by default without revoked ones')
    .requiredOption('--team <id>', 'the team', parseId)
    .addOption(envOption())
    .addOption(new Option('--state <state...>', 'only keys in these states').choices(Object.keys(states)))
    .option('--search <text>', 'only keys whose name or prefix contains it')
    .option('--external-id <id>', 'only keys of this customer or service')
    .option('--tag <tag>', 'only keys with this tag; can be given several times', collect)
    .option('--json', 'print JSON')
    .action(list);

  const createCommand = keys
    .command('create')
    .description('create a key; its secret is printed only once, as the only text on standard output')
    .requiredOption('--team <id>', 'the team', orInvalid(parseId))
    .addOption(envOption().makeOptionMandatory());
  addSettingOptions(createCommand, { isNewKey: true })
    .option('--signing', 'require signed requests; the signing secret is printed too, in a second line')
    .option('--json', 'print JSON, including the secret')
    .action(create);

  const updateCommand = keyCommand(keys, 'update', 'change the given settings; a list replaces the whole list');
  addSettingOptions(updateCommand, { isNewKey: false })
    .addOption(removeOption())
    .option('--json', 'print JSON')
    .action(update);

  addLifecycleCommands(keys);
  addSourcesCommand(keys);
  addImportCommand(keys);
  addExportCommands(program, keys);
}

interface ListOptions extends JsonOption {
  readonly team: string;
  readonly env?: KeyEnv;
  readonly state?: readonly string[];
  readonly search?: string;
  readonly externalId?: string;
  readonly tag?: readonly string[];
}

async function list({ team, env, state, search, externalId, tag, json }: ListOptions): Promise<void> {
  const filter = {
    ...(env === undefined ? {} : { env }),
    ...(state === undefined ? {} : { state: state.flatMap((name) => states[name] ?? []) }),
    ...(search === undefined ? {} : { search }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
  };
  const keys: CliKeyFragment[] = [];
  for await (const key of readKeys(execute, { teamId: team, filter })) keys.push(key);
  printResult(keys, json, describeList);
}

function describeList(keys: readonly CliKeyFragment[]): string {
  return tableOf(
    ['ID', 'NAME', 'ENV', 'PREFIX', 'STATE', 'SIGNED', 'LAST USED', 'EXPIRES'],
    keys.map(({ id, name, env, prefix, state, signingEnabled, lastUsedAt, expiresAt }) => [
      id,
      name,
      env,
      prefix,
      state.toLowerCase(),
      signingEnabled ? 'yes' : 'no',
      lastUsedAt ?? 'never',
      expiresAt ?? 'never',
    ]),
  );
}

interface CreateOptions extends JsonOption {
  readonly team: string | InvalidArgumentError;
  readonly name: string;
  readonly env: KeyEnv;
  readonly signing?: boolean;
}

async function create({ team, name, env, signing = false, json }: CreateOptions, command: Command): Promise<void> {
  const input = { ...settingsOf(command, team), name, teamId: String(team), env, signing };
  const { apiKey, secret, signingSecret } = (await execute(createKey, { input })).createKey;
  const secrets = signingSecret === null ? { secret } : { secret, signingSecret };
  // The description is on standard error, so that a pipe gets only the secret.
  if (json !== true) process.stderr.write(`${apiKey.id}  ${apiKey.name}\n`);
  printResult({ ...apiKey, ...secrets }, json, () => Object.values(secrets).join('\n'));
}

interface UpdateOptions extends JsonOption {
  readonly remove?: readonly string[];
}

async function update(id: string, { remove = [], json }: UpdateOptions, command: Command): Promise<void> {
  const set = settingsOf(command);
  const input = { ...set, ...removalsOf(remove, set, command) };
  if (Object.keys(input).length === 0) command.error('error: nothing to change: give at least one option');
  printResult((await execute(updateKey, { id, input })).changed.apiKey, json, describeFields);
}
