/** Runs episodes until one breaks the promise or the time is over, and judges each. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { HistoryChecker } from '../history/checker.ts';
import type { Event, Header } from '../history/format.ts';
import { describe } from '../history/violation.ts';
import { runEpisode } from './episode.ts';
import { addTo, emptySummary, type Summary } from './summary.ts';

export interface RunOptions {
  /** The seed of the first episode, and the difference to that of the next one. */
  readonly seed: number;
  readonly step: number;
  /** Null: one episode. */
  readonly seconds: number | null;
  /** Where the history of the last episode is written. */
  readonly historyFile: string | null;
}

export async function run({ seed, step, seconds, historyFile }: RunOptions): Promise<Summary> {
  const summary = emptySummary();
  const endsAt = seconds === null ? 0 : performance.now() + seconds * 1000;
  do {
    const episodeSeed = seed + summary.episodes * step;
    const text = await judge(episodeSeed, historyFile, summary);
    summary.episodes += 1;
    if (text !== null) summary.problem = { seed: episodeSeed, text };
  } while (summary.problem === null && performance.now() < endsAt);
  return summary;
}

/** Returns what is wrong with an episode; null if nothing is. */
async function judge(seed: number, historyFile: string | null, summary: Summary): Promise<string | null> {
  let checker: HistoryChecker | null = null;
  const file = historyFile === null ? null : openSync(historyFile, 'w');
  const write = (line: Header | Event) => {
    if (file !== null) writeSync(file, `${JSON.stringify(line)}\n`);
  };
  const history = {
    header: (header: Header) => {
      checker = new HistoryChecker(header);
      write(header);
    },
    event: (event: Event) => {
      write(event);
      checker?.add(event);
    },
  };
  try {
    const episode = await runEpisode(seed, history);
    const { violations, telling } = finish(checker);
    addTo(summary, { ...episode, telling, episodes: 0, problem: null });
    const [violation] = violations;
    return violation === undefined ? episode.problem : describe(violation);
  } catch (error) {
    return error instanceof Error ? String(error.stack) : String(error);
  } finally {
    if (file !== null) closeSync(file);
  }
}

function finish(checker: HistoryChecker | null) {
  if (checker === null) throw new Error('the history has no header');
  return checker.finish();
}
