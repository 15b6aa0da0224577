/** `latchkey keys`: lists, creates and updates the keys of a team. */
import { type Command, type InvalidArgumentError, Option } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { teamOf } from '../login/team.ts';
import { memberStates, memberStatesOf } from '../members/states.ts';
import {
  addTeamOption,
  collect,
  type JsonOption,
  limitOption,
  orInvalid,
  parseId,
  type TeamOption,
} from '../options.ts';
import { describeFields, printChange, printMessage, printResult, tableOf } from '../print.ts';
import type { CliKeyFragment, KeyEnv, KeyOrder, KeyState } from '../service/generated/graphql.ts';
import { createKey, readKey, updateKey } from '../service/operations.ts';
import { execute, readKeys, takeFirst } from '../service/service.ts';
import { addExportCommands } from './export.ts';
import { addImportCommand } from './import.ts';
import { addLifecycleCommands } from './key-lifecycle.ts';
import { addSettingOptions, removalsOf, removeOption, settingsOf } from './key-options.ts';
import { idOf, type KeyReference, keyCommand } from './key-reference.ts';
import { addNewSecretCommand } from './new-secret.ts';
import { addPutCommand } from './put.ts';
import { addSourcesCommand } from './sources.ts';

const states: Readonly<Record<string, KeyState>> = {
  active: 'ACTIVE',
  expired: 'EXPIRED',
  disabled: 'DISABLED',
  revoked: 'REVOKED',
};
const newestFirst: KeyOrder = { field: 'CREATED_AT', direction: 'DESC' };
const orders: Readonly<Record<string, KeyOrder>> = {
  newest: newestFirst,
  name: { field: 'NAME', direction: 'ASC' },
  expiry: { field: 'EXPIRES_AT', direction: 'ASC' },
  'last-use': { field: 'LAST_USED_AT', direction: 'ASC' },
  calls: { field: 'CALLS', direction: 'DESC' },
};
const colors = { ACTIVE: 'green', EXPIRED: 'yellow', DISABLED: 'yellow', REVOKED: 'red' } as const;
const envOption = () => new Option('--env <env>', 'the environment').choices(keyEnvs);

export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description("a team's keys: list, create, change, rotate, revoke, import, export");

  const listCommand = keys
    .command('list')
    .description('list the keys of a team, by default newest first and without revoked ones');
  addTeamOption(listCommand, 'the team')
    .addOption(envOption())
    .addOption(new Option('--state <state...>', 'only keys in these states').choices(Object.keys(states)))
    .option('--search <text>', 'only keys whose name or prefix contains it')
    .option('--external-id <id>', 'only keys of this customer or service')
    .option('--responsible <person>', 'only keys of which exactly this person or team is responsible')
    .addOption(
      new Option('--responsible-state <state...>', 'only keys of people in these states').choices(
        Object.keys(memberStates),
      ),
    )
    .option('--tag <tag>', 'only keys with this tag; can be given several times', collect)
    .option('--scope <scope>', 'only keys with this scope; can be given several times', collect)
    .option('--created-by <actor>', 'only keys that this actor created or imported')
    .option('--any-source', 'only keys that every source can use')
    .option('--never-expires', 'only keys that never expire')
    .option('--never-used', 'only keys that never passed a verification')
    .addOption(new Option('--signing <setting>', 'only keys with or without signed requests').choices(['on', 'off']))
    .addOption(new Option('--sort <order>', 'the order of the list').choices(Object.keys(orders)))
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(list);

  keyCommand(keys, 'get', 'show a key, without its secret')
    .option('--json', 'print JSON')
    .action(async (reference: KeyReference, { json, ...options }: JsonOption & TeamOption) => {
      const { key } = await execute(readKey, { id: await idOf(reference, options) });
      printResult(key, json, describeFields);
    });

  const createCommand = keys
    .command('create')
    .description('create a key; its secret is printed only once, as the only text on standard output')
    .option('--team <id>', 'the team (default: of LATCHKEY_TEAM, the profile or the token)', orInvalid(parseId))
    .addOption(envOption().makeOptionMandatory());
  addSettingOptions(createCommand, { isNewKey: true })
    .option('--signing', 'require signed requests; the signing secret is printed too, in a second line')
    .option('--tripwire', 'never accept it, and tell the team when somebody presents it')
    .option('--json', 'print JSON, including the secret')
    .action(create);

  const updateCommand = keyCommand(keys, 'update', 'change the given settings; a list replaces the whole list');
  addSettingOptions(updateCommand, { isNewKey: false })
    .addOption(removeOption())
    .option('--json', 'print JSON')
    .action(update);

  addLifecycleCommands(keys);
  addNewSecretCommand(keys);
  addPutCommand(keys);
  addSourcesCommand(keys);
  addImportCommand(keys);
  addExportCommands(program, keys);
}

interface ListOptions extends JsonOption, TeamOption {
  readonly env?: KeyEnv;
  readonly state?: readonly string[];
  readonly search?: string;
  readonly externalId?: string;
  readonly responsible?: string;
  readonly responsibleState?: readonly string[];
  readonly tag?: readonly string[];
  readonly scope?: readonly string[];
  readonly createdBy?: string;
  readonly anySource?: true;
  readonly neverExpires?: true;
  readonly neverUsed?: true;
  readonly signing?: 'on' | 'off';
  readonly sort?: string;
  readonly limit?: number;
}

async function list({ team, limit, json, sort, ...conditions }: ListOptions): Promise<void> {
  const {
    env,
    state,
    search,
    externalId,
    responsible,
    responsibleState,
    tag,
    scope,
    createdBy,
    anySource,
    signing,
    ...flags
  } = conditions;
  const filter = {
    ...(env === undefined ? {} : { env }),
    ...(state === undefined ? {} : { state: state.flatMap((name) => states[name] ?? []) }),
    ...(search === undefined ? {} : { search }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(responsible === undefined ? {} : { responsible }),
    ...(responsibleState === undefined ? {} : { responsibleState: memberStatesOf(responsibleState) }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(scope === undefined ? {} : { scopes: [...scope] }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(anySource === undefined ? {} : { hasAllowedIps: false }),
    ...(signing === undefined ? {} : { signingEnabled: signing === 'on' }),
    ...flags,
  };
  const orderBy = orders[sort ?? 'newest'] ?? newestFirst;
  const { taken, hasMore } = await takeFirst(readKeys(execute, { teamId: await teamOf(team), filter, orderBy }), limit);
  printResult(taken, json, describeList);
  if (hasMore && json !== true) printMessage(`There are more than these ${limit} keys.\n`);
}

function describeList(keys: readonly CliKeyFragment[]): string {
  return tableOf(
    ['ID', 'NAME', 'ENV', 'PREFIX', 'STATE', 'SIGNED', 'LAST USED', 'EXPIRES'],
    keys.map(({ id, name, env, prefix, state, signingEnabled, lastUsedAt, expiresAt }) => [
      id,
      name,
      env,
      prefix,
      { text: state.toLowerCase(), color: colors[state] },
      signingEnabled ? 'yes' : 'no',
      lastUsedAt ?? 'never',
      expiresAt ?? 'never',
    ]),
  );
}

interface CreateOptions extends JsonOption {
  readonly team?: string | InvalidArgumentError;
  readonly name: string;
  readonly env: KeyEnv;
  readonly signing?: boolean;
  readonly tripwire?: boolean;
}

async function create(
  { team, name, env, signing = false, tripwire = false, json }: CreateOptions,
  command: Command,
): Promise<void> {
  const given = settingsOf(command, team);
  const teamId = await teamOf(typeof team === 'string' ? team : undefined);
  const input = { ...given, name, teamId, env, signing, tripwire };
  const { apiKey, secret, signingSecret } = (await execute(createKey, { input })).createKey;
  const secrets = signingSecret === null ? { secret } : { secret, signingSecret };
  // The description is on standard error, so that a pipe gets only the secret.
  const expiry = apiKey.expiresAt === null ? 'never expires' : `expires at ${apiKey.expiresAt}`;
  if (json !== true) printMessage(`${apiKey.id}  ${apiKey.name}  ${expiry}\n`);
  printResult({ ...apiKey, ...secrets }, json, () => Object.values(secrets).join('\n'));
}

interface UpdateOptions extends JsonOption, TeamOption {
  readonly remove?: readonly string[];
}

async function update(
  reference: KeyReference,
  { remove = [], json, ...options }: UpdateOptions,
  command: Command,
): Promise<void> {
  const set = settingsOf(command);
  const input = { ...set, ...removalsOf(remove, set, command) };
  if (Object.keys(input).length === 0) command.error('error: nothing to change: give at least one option');
  const id = await idOf(reference, options);
  printChange('Updated', (await execute(updateKey, { id, input })).changed.apiKey, json);
}
