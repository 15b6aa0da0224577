/** `latchkey members`: who has access to a team, and who takes over the keys of people who left. */
import { type Command, Option } from 'commander';
import { sendParts, tooManyMembers } from '../../domain/access/subject-parts.ts';
import { Failure } from '../failure.ts';
import { addConfirmation, type ConfirmationOptions, isScript } from '../keys/confirmation.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type JsonOption, type TeamOption } from '../options.ts';
import { type Cell, printMessage, printResult, tableOf } from '../print.ts';
import { confirm } from '../prompt.ts';
import type { CliMemberFragment } from '../service/generated/graphql.ts';
import { handOverKeys, importMembers, readMembers, removeMember } from '../service/operations.ts';
import { execute, executeWithRetries, readPages } from '../service/service.ts';
import { memberStates, memberStatesOf } from './states.ts';
import { readSubjects } from './subjects.ts';

const colors = { ACTIVE: 'green', INACTIVE: 'yellow', LEFT: 'red' } as const;
const pageSize = 200;

export function addMemberCommands(program: Command): void {
  const members = program
    .command('members')
    .description('people who have or had access to a team, and the keys that they are responsible for');

  addTeamOption(members.command('list').description('list the people who have or had access'), 'the team')
    .addOption(new Option('--state <state...>', 'only people in these states').choices(Object.keys(memberStates)))
    .option('--json', 'print JSON')
    .action(list);

  const remove = members
    .command('remove')
    .description('record that a person has left; takes no access away, and changes no key')
    .argument('<subject>', "the sub of the person's session tokens");
  addConfirmation(addTeamOption(remove, 'the team')).option('--json', 'print JSON').action(removeOne);

  const importCommand = members
    .command('import')
    .description(
      'compare the members with the people who have access now: adds the new ones, and the missing ones left',
    )
    .argument('<file>', 'the subjects of all who have access, one a line; - for standard input');
  addConfirmation(addTeamOption(importCommand, 'the team')).option('--json', 'print JSON').action(importAll);

  const handOver = members
    .command('hand-over')
    .description('make another person or team responsible for the keys of one')
    .argument('<from>', 'who is responsible now')
    .argument('<to>', 'who will be');
  addConfirmation(addTeamOption(handOver, 'the team')).option('--json', 'print JSON').action(handOverAll);
}

interface ListOptions extends TeamOption, JsonOption {
  readonly state?: readonly string[];
}

async function list({ team, state, json }: ListOptions): Promise<void> {
  const teamId = await teamOf(team);
  const chosen = state === undefined ? null : memberStatesOf(state);
  const page = async (after: string | null) =>
    (await execute(readMembers, { teamId, state: chosen, first: pageSize, after })).members;
  const members: CliMemberFragment[] = [];
  for await (const member of readPages(page)) members.push(member);
  printResult(members, json, () =>
    tableOf(
      ['SUBJECT', 'STATE', 'KEYS', 'LAST SEEN', 'LEFT'],
      members.map((member) => [
        member.subject,
        stateOf(member),
        String(member.keyCount),
        member.seenAt,
        member.leftAt ?? '',
      ]),
    ),
  );
}

function stateOf({ state }: CliMemberFragment): Cell {
  return { text: state.toLowerCase(), color: colors[state] };
}

type ChangeOptions = TeamOption & ConfirmationOptions;

async function removeOne(subject: string, { team, ...options }: ChangeOptions): Promise<void> {
  const teamId = await teamOf(team);
  if (!isScript(options)) await confirm(`Record that ${subject} has left?`);
  const { member } = (await execute(removeMember, { teamId, subject })).removeMember;
  printResult(member, options.json, ({ keyCount }) =>
    keyCount === 0
      ? `${subject} has left`
      : `${subject} has left, and is responsible for ${keyCount} ${keyCount === 1 ? 'key' : 'keys'}`,
  );
}

async function importAll(file: string, { team, ...options }: ChangeOptions): Promise<void> {
  const teamId = await teamOf(team);
  const subjects = await readSubjects(file);
  if (!isScript(options)) await confirm(`Record that all have left who are not among these ${subjects.length}?`);
  const total = { added: 0, left: 0 };
  const isComplete = await sendParts(subjects, async (part) => {
    const imported = (await executeWithRetries(importMembers, { input: { teamId, ...part } })).importMembers;
    total.added += imported.added;
    total.left += imported.left;
    return imported;
  });
  if (!isComplete) throw new Failure('FAILED', `the others are not added: ${tooManyMembers}`);
  printResult(total, options.json, ({ added, left }) => `${added} added, ${left} left`);
}

async function handOverAll(from: string, to: string, { team, ...options }: ChangeOptions): Promise<void> {
  const teamId = await teamOf(team);
  if (!isScript(options)) await confirm(`Make ${to} responsible for the keys of ${from}?`);
  let changed = 0;
  let failed = 0;
  for (let hasMore = true; hasMore; ) {
    const handed = (await executeWithRetries(handOverKeys, { teamId, from, to })).handOverKeys;
    const now = handed.results.filter(({ outcome }) => outcome === 'CHANGED').length;
    changed += now;
    failed = handed.results.filter(({ outcome }) => outcome !== 'CHANGED' && outcome !== 'NOT_ATTEMPTED').length;
    // Keys that can't be changed are the first ones again.
    hasMore = handed.hasMore && now > 0;
  }
  if (failed > 0) printMessage(`${failed} keys could not be handed over\n`);
  printResult(
    { changed, failed },
    options.json,
    () => `${changed} ${changed === 1 ? 'key' : 'keys'} handed over to ${to}`,
  );
}
