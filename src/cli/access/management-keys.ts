/** `latchkey management-keys`: the keys with which programs manage the keys of a team. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readMoment } from '../../domain/moment-text.ts';
import { addConfirmation, type ConfirmationOptions, isScript } from '../keys/confirmation.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, collect, type JsonOption, overlapOption, type TeamOption } from '../options.ts';
import { type Cell, printMessage, printResult, tableOf } from '../print.ts';
import { confirm } from '../prompt.ts';
import type { CliManagementKeyFragment, Permission } from '../service/generated/graphql.ts';
import {
  createManagementKey,
  readManagementKeys,
  revokeManagementKey,
  rotateManagementKey,
} from '../service/operations.ts';
import { execute } from '../service/service.ts';
import { addIdArgument, permissionsOption } from './access-options.ts';

export function addManagementKeyCommands(program: Command): void {
  const keys = program
    .command('management-keys')
    .description('keys with which programs manage the keys of a team: list, create, rotate, revoke');

  addTeamOption(keys.command('list').description('list the management keys of a team'), 'the team')
    .option('--json', 'print JSON')
    .action(list);

  addTeamOption(
    keys
      .command('create')
      .description('make a management key; its secret is printed only once, as the only text on standard output'),
    'the team whose keys it manages',
  )
    .requiredOption('--name <name>', 'a label for people')
    .addOption(permissionsOption())
    .addOption(expiryOption())
    .option('--source <source>', 'an allowed source; can be given several times', collect)
    .option('--signing', 'require signed calls; the signing secret is printed too, in a second line')
    .option('--json', 'print JSON, including the secret')
    .action(create);

  const rotate = managementKeyCommand(
    keys,
    'rotate',
    'replace the secret; the new one is printed only once, as the only text on standard output',
  )
    .addOption(overlapOption('secret'))
    .option('--json', 'print JSON, including the secret');
  addConfirmation(rotate).action(async (id: string, { overlap, ...options }: RotateOptions) => {
    if (overlap === 0 && !isScript(options)) await confirm(`Replace, without overlap, the secret of ${id}?`);
    const { managementKey, secret } = (await execute(rotateManagementKey, { id, overlapSeconds: overlap })).issued;
    printIssued(managementKey, [secret], options.json, { secret });
  });

  addConfirmation(managementKeyCommand(keys, 'revoke', 'revoke a management key permanently'))
    .option('--json', 'print JSON')
    .action(async (id: string, options: ConfirmationOptions) => {
      if (!isScript(options)) await confirm(`Revoke the management key ${id}?`);
      const { managementKey } = (await execute(revokeManagementKey, { id })).revoked;
      printResult(managementKey, options.json, ({ prefix }) => `Revoked ${prefix} (${id})`);
    });
}

interface RotateOptions extends ConfirmationOptions {
  readonly overlap: number;
}

function managementKeyCommand(parent: Command, name: string, description: string): Command {
  return addIdArgument(parent.command(name).description(description), 'management key');
}

function expiryOption(): Option {
  return new Option('--expires <moment>', 'when it stops working, at most a year from now, such as 90d or 2030-01-31')
    .argParser((text) => {
      const moment = readMoment(text, new Date(), 'from now');
      if (!moment.ok) throw new InvalidArgumentError(moment.problem);
      return moment.value;
    })
    .makeOptionMandatory();
}

async function list({ team, json }: TeamOption & JsonOption): Promise<void> {
  const { managementKeys } = await execute(readManagementKeys, { teamId: await teamOf(team) });
  printResult(managementKeys, json, (keys) =>
    tableOf(
      ['ID', 'NAME', 'PREFIX', 'PERMISSIONS', 'STATE', 'LAST USED', 'EXPIRES'],
      keys.map((key) => [
        key.id,
        key.name,
        key.prefix,
        key.permissions.join(','),
        stateOf(key),
        key.lastUsedAt ?? 'never',
        key.expiresAt,
      ]),
    ),
  );
}

function stateOf({ state }: CliManagementKeyFragment): Cell {
  return { text: state.toLowerCase(), color: state === 'ACTIVE' ? 'green' : 'red' };
}

interface CreateOptions extends TeamOption, JsonOption {
  readonly name: string;
  readonly can: readonly Permission[];
  readonly expires: string;
  readonly source?: readonly string[];
  readonly signing?: true;
}

async function create({ team, name, can, expires, source, signing, json }: CreateOptions): Promise<void> {
  const input = {
    teamId: await teamOf(team),
    name,
    permissions: [...can],
    expiresAt: expires,
    allowedIps: [...(source ?? [])],
    signing: signing === true,
  };
  const { managementKey, secret, signingSecret } = (await execute(createManagementKey, { input })).issued;
  const secrets = signingSecret == null ? [secret] : [secret, signingSecret];
  printIssued(managementKey, secrets, json, { secret, ...(signingSecret == null ? {} : { signingSecret }) });
}

/** The description is on standard error, so that a pipe gets only the secrets. */
function printIssued(
  key: CliManagementKeyFragment,
  secrets: readonly string[],
  json: boolean | undefined,
  issued: object,
): void {
  if (json !== true) printMessage(`${key.id}  ${key.prefix}  until ${key.expiresAt}\n`);
  printResult({ ...key, ...issued }, json, () => secrets.join('\n'));
}
