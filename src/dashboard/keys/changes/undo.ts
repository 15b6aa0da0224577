import { ApiError } from '../../api/api-error.ts';
import { reloadKeys } from '../../api/query-client.ts';
import { toast } from '../../components/toast.ts';
import { type Change, type ChangeKind, changes, countOf, type Details, inWords, type Key } from './change.ts';
import { type Outcomes, problemIn, runInBatches } from './change-keys.ts';

interface Ended {
  readonly teamId: string;
  readonly kind: ChangeKind;
  readonly details: Details;
  readonly outcomes: Outcomes;
}

/** Says which keys were changed, and offers to undo it unless the change is final. */
export function announce({ teamId, kind, details, outcomes }: Ended): void {
  const change = changes[kind];
  const { undo } = change;
  const done = [...outcomes].filter(([, outcome]) => problemIn(outcome) === null).map(([key]) => key);
  if (done.length === 0) return;
  const restorable = [...outcomes].flatMap(([key, outcome]) =>
    'revision' in outcome && outcome.revision !== null ? [{ ...key, revision: outcome.revision }] : [],
  );
  const message = inWords(change, done, details);
  if (undo === undefined || restorable.length === 0) toast(message);
  else toast(message, { undo: () => restore(teamId, undo, restorable) });
}

/** Restores only keys that have not been changed again. Throws ApiError if there is another one. */
async function restore(teamId: string, undo: Pick<Change, 'action' | 'settings'>, keys: readonly Key[]): Promise<void> {
  const outcomes = await runInBatches({ teamId, change: undo, keys });
  await reloadKeys();
  const problems = [...outcomes.values()].map(problemIn).filter((problem) => problem !== null);
  const [first] = problems;
  if (first === undefined) return;
  const which = keys.length === 1 ? '' : `Not undone for ${countOf(problems)} of ${keys.length}. `;
  throw new ApiError(first.code, `${which}${first.message}`, first.requestId, { errors: first.fields });
}
