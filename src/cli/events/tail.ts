/** `latchkey events tail`: prints the events of a team, one JSON object per line. */
import { type Command, Option } from 'commander';
import { usageFailure } from '../failure.ts';
import { teamOf } from '../login/team.ts';
import { addTeamOption, type TeamOption } from '../options.ts';
import { print, printMessage } from '../print.ts';
import { readCursor, writeCursor } from './cursor-file.ts';
import { latest, readEventPages } from './event-pages.ts';
import { typesHelp, typesOption } from './event-types.ts';

export function addEventCommands(program: Command): void {
  const events = program.command('events').description("a team's events");

  const command = events.command('tail').description('print events, oldest first, one JSON object per line (NDJSON)');
  addTeamOption(command, 'the team')
    .option('--follow', 'wait for more events, until it is stopped')
    .addOption(typesOption('all types'))
    .option('--after <id>', 'start after this event')
    .addOption(new Option('--from-start', 'start with the oldest event that is kept').conflicts('after'))
    .option('--cursor-file <file>', 'store the position in this file, and continue there; it wins over where to start')
    .addHelpText('after', typesHelp)
    .action(tail);
}

interface Options extends TeamOption {
  readonly follow?: boolean;
  readonly types?: readonly string[];
  readonly after?: string;
  readonly fromStart?: true;
  readonly cursorFile?: string;
}

async function tail({ team, follow = false, types, after, fromStart, cursorFile }: Options): Promise<void> {
  if (!follow && after === undefined && fromStart === undefined && cursorFile === undefined) {
    throw usageFailure(
      'NO_START',
      'give --follow for what happens from now on, or --from-start, --after or --cursor-file',
    );
  }
  const teamId = await teamOf(team);
  const stored = cursorFile === undefined ? null : readCursor(cursorFile, teamId);
  const start = fromStart === true ? null : (after ?? latest);
  const signal = stopSignal();
  const pages = readEventPages({
    teamId,
    types,
    after: stored?.after ?? start,
    follow,
    signal,
    onOutage: ({ code, message }) => printMessage(`${code}: ${message}\nTrying again.\n`),
  });
  let position = stored?.after;
  for await (const { events, next } of pages) {
    for (const event of events) await print(`${JSON.stringify(event)}\n`);
    // After the events, so that a crash repeats them. Each has an id by which a reader notices that.
    if (cursorFile !== undefined && next !== position) writeCursor(cursorFile, { teamId, after: next });
    position = next;
  }
}

/** Aborts at the first Ctrl+C or SIGTERM. The page that is being printed is completed. A second one ends the process. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
