/** `latchkey keys`: lists and changes the keys of a team. */
import { type Command, Option } from 'commander';
import { readClientConfiguration } from '../config/configuration.ts';
import { addExportCommands } from './export.ts';
import type { CliKeyFragment, CliListKeysQuery, KeyEnv, KeyState, UpdateKeyInput } from './generated/graphql.ts';
import { addImportCommand } from './import.ts';
import { createKey, listKeys, revokeKey, updateKey } from './operations.ts';
import { collect, parseId, parseMoment } from './options.ts';
import { printFacts, printJson, printTable } from './print.ts';
import { ask } from './service.ts';
import { addSourcesCommand } from './sources.ts';

const pageSize = 500;
const states: Readonly<Record<string, KeyState>> = { active: 'ACTIVE', expired: 'EXPIRED', revoked: 'REVOKED' };
const envOption = () => new Option('--env <env>', 'the environment').choices(['live', 'test']);

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description("a team's keys: list, create, update, revoke, import, export");

  keys
    .command('list')
    .description('list the keys of a team, newest first; by default without revoked ones')
    .requiredOption('--team <id>', 'the team', parseId)
    .addOption(envOption())
    .addOption(new Option('--state <state...>', 'only keys in these states').choices(Object.keys(states)))
    .option('--search <text>', 'only keys whose name or prefix contains it')
    .option('--json', 'print JSON')
    .action(list);

  keys
    .command('create')
    .description('create a key; its secret is printed only once, as the only text on standard output')
    .requiredOption('--team <id>', 'the team', parseId)
    .requiredOption('--name <name>', 'a label for people')
    .addOption(envOption().makeOptionMandatory())
    .option('--expires <moment>', 'when it stops working, such as 2030-01-31T12:00:00Z', parseMoment)
    .option('--json', 'print JSON, including the secret')
    .action(create);

  keys
    .command('update')
    .argument('<id>', 'the key', parseId)
    .description('change the given fields')
    .option('--name <name>', 'a new label')
    .option('--expires <moment>', 'a new expiry', parseMoment)
    .option('--never-expires', 'remove the expiry')
    .option('--source <source>', 'an allowed source; can be given several times, and replaces the whole list', collect)
    .option('--any-source', 'allow every source')
    .option('--json', 'print JSON')
    .action(update);

  keys
    .command('revoke')
    .argument('<id>', 'the key', parseId)
    .description('revoke a key permanently')
    .option('--json', 'print JSON')
    .action(revoke);

  addSourcesCommand(keys);
  addImportCommand(keys);
  addExportCommands(program, keys);
}

interface ListOptions {
  readonly team: string;
  readonly env?: KeyEnv;
  readonly state?: readonly string[];
  readonly search?: string;
  readonly json?: boolean;
}

async function list({ team, env, state, search, json }: ListOptions): Promise<void> {
  const service = readClientConfiguration(process.env);
  const filter = {
    ...(env === undefined ? {} : { env }),
    ...(state === undefined ? {} : { state: state.flatMap((name) => states[name] ?? []) }),
    ...(search === undefined ? {} : { search }),
  };
  const found: CliKeyFragment[] = [];
  let after: string | null = null;
  do {
    const { keys }: CliListKeysQuery = await ask(service, listKeys, { teamId: team, first: pageSize, after, filter });
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

interface CreateOptions {
  readonly team: string;
  readonly name: string;
  readonly env: KeyEnv;
  readonly expires?: string;
  readonly json?: boolean;
}

async function create({ team, name, env, expires, json }: CreateOptions): Promise<void> {
  const input = { teamId: team, name, env, expiresAt: expires ?? null };
  const { createKey: created } = await ask(readClientConfiguration(process.env), createKey, { input });
  if (json === true) {
    printJson({ ...created.apiKey, secret: created.secret });
    return;
  }
  // The text for people is on standard error, so that the secret can be piped.
  process.stderr.write(`${created.apiKey.id}  ${created.apiKey.name}\n`);
  process.stdout.write(`${created.secret}\n`);
}

interface UpdateOptions {
  readonly name?: string;
  readonly expires?: string;
  readonly neverExpires?: boolean;
  readonly source?: readonly string[];
  readonly anySource?: boolean;
  readonly json?: boolean;
}

async function update(
  id: string,
  { name, expires, neverExpires, source, anySource, json }: UpdateOptions,
  command: Command,
): Promise<void> {
  if (expires !== undefined && neverExpires === true) command.error('--expires and --never-expires exclude each other');
  if (source !== undefined && anySource === true) command.error('--source and --any-source exclude each other');
  const input: UpdateKeyInput = {};
  if (name !== undefined) input.name = name;
  if (expires !== undefined || neverExpires === true) input.expiresAt = expires ?? null;
  if (source !== undefined || anySource === true) input.allowedIps = [...(source ?? [])];
  if (Object.keys(input).length === 0) command.error('nothing to change: give at least one option');
  const { updateKey: updated } = await ask(readClientConfiguration(process.env), updateKey, { id, input });
  show(updated.apiKey, json);
}

async function revoke(id: string, { json }: { readonly json?: boolean }): Promise<void> {
  const { revokeKey: revoked } = await ask(readClientConfiguration(process.env), revokeKey, { id });
  show(revoked.apiKey, json);
}

function show(key: CliKeyFragment, json: boolean | undefined): void {
  if (json === true) printJson(key);
  else printFacts({ ...key });
}
