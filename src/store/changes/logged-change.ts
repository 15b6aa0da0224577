/** Changes of what belongs to a team and is not a key: an endpoint, a policy. */
import type { Prisma } from '../generated/sqlite/client.ts';
import type { BulkRows } from './bulk-rows.ts';
import type { ChangeQueue } from './change-queue.ts';
import { appendEntries, type NewEntry, takeRevisions } from './log.ts';

interface LoggedDecision<Answer> {
  readonly answer: Answer;
  /** Appended to the log in the same transaction. */
  readonly entries?: readonly NewEntry[];
}

interface LoggedChange<State, Decision> {
  readonly load: (transaction: Prisma.TransactionClient) => Promise<State>;
  /** `revision` is that of the first entry. May run twice. */
  readonly decide: (state: State, revision: bigint) => Decision;
  readonly write: (bulk: BulkRows, decision: Decision, state: State) => Promise<void>;
}

/** An update can also enable or disable. Revisions that are not used do no harm. */
const maxEntries = 2;

/**
 * Loads the state, decides on it and writes the decision with its entries, in one transaction that locks out all other
 * changes, in turns by team. Throws what `decide` throws; then nothing is written.
 */
export async function changeLogged<Answer, State, Decision extends LoggedDecision<Answer>>(
  changes: ChangeQueue,
  teamId: string,
  { load, decide, write }: LoggedChange<State, Decision>,
): Promise<Answer> {
  let settle: (() => Answer) | undefined;
  await changes.perform(
    async (transaction, bulk) => {
      const before = await takeRevisions(bulk, maxEntries);
      const state = await load(transaction);
      let decision: Decision;
      try {
        decision = decide(state, before + 1n);
      } catch (error) {
        // Thrown only after the transaction, because an error in it resets the connection of all writers.
        settle = () => {
          throw error;
        };
        return;
      }
      const { answer, entries = [] } = decision;
      settle = () => answer;
      await write(bulk, decision, state);
      await appendEntries(bulk, before, entries);
    },
    { holder: teamId },
  );
  if (settle === undefined) throw new Error('a change was not decided');
  return settle();
}
