/** `latchkey keys`: lists, creates and updates the keys of a team. */
import { type Command, type InvalidArgumentError, Option } from 'commander';
import { readClientConfiguration } from '../config/configuration.ts';
import { addExportCommands } from './export.ts';
import type { CliKeyFragment, CliListKeysQuery, KeyEnv, KeyState, UpdateKeyInput } from './generated/graphql.ts';
import { addImportCommand } from './import.ts';
import { addLifecycleCommands } from './key-lifecycle.ts';
import {
  addSettingOptions,
  type Removable,
  removalsOf,
  removeOption,
  type SettingOptions,
  settingsOf,
} from './key-settings.ts';
import { createKey, listKeys, updateKey } from './operations.ts';
import { collect, keysPageSize, orInvalid, parseId } from './options.ts';
import { printJson, printKey, printTable } from './print.ts';
import { ask } from './service.ts';
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

  addSettingOptions(
    keys
      .command('create')
      .description('create a key; its secret is printed only once, as the only text on standard output')
      .requiredOption('--team <id>', 'the team', orInvalid(parseId))
      .requiredOption('--name <name>', 'a label for people')
      .addOption(envOption().makeOptionMandatory()),
  )
    .option('--signing', 'require signed requests; the signing secret is printed too, in a second line')
    .option('--json', 'print JSON, including the secret')
    .action(create);

  addSettingOptions(
    keys
      .command('update')
      .argument('<id>', 'the key', parseId)
      .description('change the given settings; a list replaces the whole list')
      .option('--name <name>', 'a new label'),
  )
    .option('--never-expires', 'remove the expiry')
    .option('--any-source', 'allow every source')
    .addOption(removeOption())
    .option('--json', 'print JSON')
    .action(update);

  addLifecycleCommands(keys);
  addSourcesCommand(keys);
  addImportCommand(keys);
  addExportCommands(program, keys);
}

interface ListOptions {
  readonly team: string;
  readonly env?: KeyEnv;
  readonly state?: readonly string[];
  readonly search?: string;
  readonly externalId?: string;
  readonly tag?: readonly string[];
  readonly json?: boolean;
}

async function list({ team, env, state, search, externalId, tag, json }: ListOptions): Promise<void> {
  const service = readClientConfiguration(process.env);
  const filter = {
    ...(env === undefined ? {} : { env }),
    ...(state === undefined ? {} : { state: state.flatMap((name) => states[name] ?? []) }),
    ...(search === undefined ? {} : { search }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
  };
  const found: CliKeyFragment[] = [];
  let after: string | null = null;
  do {
    const { keys }: CliListKeysQuery = await ask(service, listKeys, {
      teamId: team,
      first: keysPageSize,
      after,
      filter,
    });
    found.push(...keys.nodes);
    after = keys.pageInfo.hasNextPage ? (keys.pageInfo.endCursor ?? null) : null;
  } while (after !== null);
  if (json === true) printJson(found);
  else {
    printTable(
      ['ID', 'NAME', 'ENV', 'PREFIX', 'STATE', 'SIGNED', 'LAST USED', 'EXPIRES'],
      found.map(({ id, name, env, prefix, state, signingEnabled, lastUsedAt, expiresAt }) => [
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
}

interface CreateOptions extends SettingOptions {
  readonly team: string | InvalidArgumentError;
  readonly name: string;
  readonly env: KeyEnv;
  readonly signing?: boolean;
  readonly json?: boolean;
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { team, name, env, signing = false, json } = options;
  const settings = settingsOf(options, command, team);
  const input = { ...settings, teamId: String(team), name, env, signing };
  const { createKey: created } = await ask(readClientConfiguration(process.env), createKey, { input });
  const { apiKey, secret, signingSecret } = created;
  const secrets = signingSecret === null ? { secret } : { secret, signingSecret };
  if (json === true) {
    printJson({ ...apiKey, ...secrets });
    return;
  }
  // The text for people is on standard error, so that the secret can be piped.
  process.stderr.write(`${apiKey.id}  ${apiKey.name}\n`);
  process.stdout.write(`${Object.values(secrets).join('\n')}\n`);
}

interface UpdateOptions extends SettingOptions {
  readonly neverExpires?: boolean;
  readonly anySource?: boolean;
  readonly remove?: readonly Removable[];
  readonly json?: boolean;
}

async function update(
  id: string,
  { neverExpires, anySource, remove = [], json, ...options }: UpdateOptions,
  command: Command,
): Promise<void> {
  const removed: Removable[] = [...remove];
  if (neverExpires === true) removed.push('expiry');
  if (anySource === true) removed.push('sources');
  const input: UpdateKeyInput = {
    ...settingsOf(options, command),
    ...removalsOf(removed, options, command),
  };
  if (Object.keys(input).length === 0) command.error('nothing to change: give at least one option');
  const { updateKey: updated } = await ask(readClientConfiguration(process.env), updateKey, { id, input });
  printKey(updated.apiKey, json);
}
