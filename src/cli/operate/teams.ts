/** `latchkey teams`: the operator's names for teams, which the dashboard shows instead of ids. */
import { type Command, InvalidArgumentError } from 'commander';
import { parseTeamName } from '../../domain/key/team-name.ts';
import { type JsonOption, parseId } from '../options.ts';
import { printResult, tableOf } from '../print.ts';
import { withStore } from './own-store.ts';

export function addTeamsCommands(program: Command): void {
  const teams = program.command('teams').description('the names of teams, in the database of this service');

  teams
    .command('list')
    .description('list the teams that have a name')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const names = await withStore((store) => store.teamNames.list());
      printResult(names, json, () =>
        tableOf(
          ['ID', 'NAME'],
          names.map(({ id, name }) => [id, name]),
        ),
      );
    });

  teams
    .command('name')
    .description('give a team a name; a name in a session token takes precedence')
    .argument('<id>', 'the team', parseTeamId)
    .argument('<name>', 'the name, for people', parseName)
    .action(async (id: string, name: string) => withStore((store) => store.teamNames.set({ id, name })));

  teams
    .command('unname')
    .description('remove the name of a team; the team and its keys stay')
    .argument('<id>', 'the team', parseTeamId)
    .action(async (id: string) => withStore((store) => store.teamNames.remove(id)));
}

function parseTeamId(text: string): string {
  return parseId(text).toLowerCase();
}

function parseName(text: string): string {
  const name = parseTeamName(text);
  if (!name.ok) throw new InvalidArgumentError(`It ${name.problem}.`);
  return name.value;
}
