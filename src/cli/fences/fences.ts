/** `latchkey freeze` and `latchkey fences`: freezing many keys in an incident, and letting them work again. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyEnvs } from '../../domain/key/key-env.ts';
import { type Direction, readMoment } from '../../domain/moment-text.ts';
import { addIdArgument } from '../access/access-options.ts';
import { addConfirmation, type ConfirmationOptions, isScript } from '../keys/confirmation.ts';
import { teamOf } from '../login/team.ts';
import { addOperatorCommand, withStore } from '../operate/own-store.ts';
import { addTeamOption, collect, type JsonOption, type TeamOption } from '../options.ts';
import { printMessage, printResult, tableOf } from '../print.ts';
import { confirm } from '../prompt.ts';
import type { CliFenceFragment, FreezeKeysInput, KeyEnv } from '../service/generated/graphql.ts';
import { freezeKeys, readFences, unfreezeKeys } from '../service/operations.ts';
import { execute } from '../service/service.ts';

interface FreezeOptions extends ConfirmationOptions {
  readonly reason: string;
  readonly env?: KeyEnv;
  readonly tag?: readonly string[];
  readonly externalId?: string;
  readonly responsible?: string;
  readonly createdBefore?: string;
  readonly until?: string;
  readonly dryRun?: true;
}

export function addFenceCommands(program: Command): void {
  const freeze = program
    .command('freeze')
    .description('freeze all keys of a team that meet the conditions, until the fence is lifted');
  addConfirmation(addTeamOption(freeze, 'the team'))
    .requiredOption('--reason <text>', 'why, for people')
    .addOption(new Option('--env <env>', 'only keys of this environment').choices(keyEnvs))
    .option('--tag <tag>', 'only keys with this tag; can be given several times, for keys with all of them', collect)
    .option('--external-id <id>', 'only keys with this external id')
    .option('--responsible <person>', 'only keys for which this person or team is responsible')
    .option('--created-before <moment>', 'only keys that were created before: 2030-01-31, or 2h ago', momentIn('ago'))
    .option('--until <moment>', 'when it ends by itself: 2h from now, or 2030-01-31T12:00:00Z', momentIn('from now'))
    .option('--dry-run', 'freeze nothing, and only count the keys')
    .option('--json', 'print JSON')
    .action(freezeAll);

  const fences = program.command('fences').description('the fences that freeze keys of a team: list, lift, allow');
  addTeamOption(fences.command('list').description('list the fences of a team'), 'the team')
    .option('--json', 'print JSON')
    .action(list);
  const lift = fences.command('lift').description('lift a fence: its keys work as before');
  addConfirmation(addIdArgument(lift, 'fence'))
    .option('--json', 'print JSON')
    .action(async (id: string, options: ConfirmationOptions) => {
      if (!isScript(options)) await confirm(`Lift the fence ${id}?`);
      const { unfreezeKeys: lifted } = await execute(unfreezeKeys, { id });
      printResult(lifted, options.json, () => `Lifted ${id}`);
    });
  addOperatorCommand(
    fences,
    'allow',
    'confirm, as the operator, that no instance before 0.3 runs: it would accept frozen keys and tripwires',
  ).action(async ({ json }: JsonOption) => {
    await withStore((store) => store.fences.confirm());
    printResult({ allowed: true }, json, () => 'Teams can freeze keys and set tripwires.');
  });
}

function momentIn(direction: Direction) {
  return (text: string): string => {
    const moment = readMoment(text.replace(/ ?(?:ago|from now)$/, ''), new Date(), direction);
    if (!moment.ok) throw new InvalidArgumentError(moment.problem);
    return moment.value;
  };
}

async function freezeAll(options: FreezeOptions): Promise<void> {
  const { team, yes, json, dryRun, tag, ...conditions } = options;
  const input: FreezeKeysInput = {
    ...conditions,
    teamId: await teamOf(team),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    dryRun: true,
  };
  if (dryRun === true || !isScript({ ...(yes && { yes }), ...(json && { json }) })) {
    const { keys, calls } = (await execute(freezeKeys, { input })).freezeKeys;
    const counted = `${inKeys(keys)}, verified ${calls} times in this hour and the one before`;
    if (dryRun === true) {
      printResult({ keys, calls }, json, () => counted);
      return;
    }
    await confirm(`Freeze ${counted}?`);
  }
  const { freezeKeys: frozen } = await execute(freezeKeys, { input: { ...input, dryRun: false } });
  printResult(frozen, json, ({ fence, keys }) => `Frozen: ${inKeys(keys)}, by the fence ${fence?.id}`);
  if (json !== true) printMessage(`The receipt: latchkey receipt ${frozen.revision} --wait\n`);
}

function inKeys(keys: number | null | undefined): string {
  if (keys == null) return 'keys that could not be counted';
  return keys === 1 ? '1 key' : `${keys} keys`;
}

async function list({ team, json }: TeamOption & JsonOption): Promise<void> {
  const { fences } = await execute(readFences, { teamId: await teamOf(team) });
  printResult(fences, json, (all) =>
    tableOf(
      ['ID', 'SINCE', 'UNTIL', 'KEYS', 'REASON', 'BY'],
      all.map((fence) => [
        fence.id,
        fence.createdAt,
        fence.until ?? '-',
        conditionsOf(fence),
        fence.reason,
        fence.createdBy,
      ]),
    ),
  );
}

function conditionsOf({ env, tags, externalId, responsible, createdBefore }: CliFenceFragment): string {
  const named = { env, externalId, responsible, createdBefore };
  const conditions = Object.entries(named).flatMap(([name, value]) => (value == null ? [] : [`${name}=${value}`]));
  return [...conditions, ...tags.map((tag) => `tag=${tag}`)].join(' ') || 'all';
}
