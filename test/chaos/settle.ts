/**
 * Determines from the audit trail of a round which operations were done. The entries, in order, must be exactly those of
 * all acknowledged operations and of some of the others.
 */

import {
  actions,
  expectedChanges,
  type KeyState,
  outcomeOf,
  type ServiceValues,
  shownState,
  stateName,
} from '../harness/key-model.ts';
import type { KeyHistory, Ledger, Operation, Step } from './ledger.ts';

/** An entry of the audit trail about a key. */
export interface TrailEntry {
  readonly id: string;
  /** Its place in the order of all changes. */
  readonly revision: number;
  readonly action: string;
  readonly keyId: string;
  readonly actor: string;
  readonly at: string;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

interface Settlement {
  readonly acknowledged: number;
  readonly happened: number;
  readonly didNotHappen: number;
  /** The keys of all requested changes. */
  readonly touched: ReadonlySet<string>;
  readonly violations: readonly string[];
}

export function settle(ledger: Ledger, entries: readonly TrailEntry[]): Settlement {
  const violations: string[] = [];
  const written = new Set<string>();
  for (const entry of entries) {
    const operation = ledger.operations.get(entry.actor);
    const problem =
      operation === undefined || written.has(entry.actor)
        ? 'no operation caused it, or it is a duplicate'
        : (applyEntry(ledger, entry, operation) ?? checkOrder(ledger, operation));
    if (problem !== null) violations.push(`audit entry ${entry.id}, ${entry.action} by ${entry.actor}: ${problem}`);
    written.add(entry.actor);
    ledger.revisions.push(entry.revision);
  }
  const touched = new Set(entries.map(({ keyId }) => keyId));
  const counts = { acknowledged: 0, happened: 0, didNotHappen: 0 };
  for (const operation of ledger.operations.values()) {
    const { answer, actor, keyId } = operation;
    if (keyId !== null) touched.add(keyId);
    if (answer !== null) counts.acknowledged += 1;
    else if (written.has(actor)) counts.happened += 1;
    else counts.didNotHappen += 1;
    if (written.has(actor)) continue;
    // It took a revision for nothing only if the key was changed between the first decision and its transaction.
    ledger.unused.most += 1;
    if (answer === null) continue;
    if (!isExplained(ledger, operation)) violations.push(`${describe(operation)}: acknowledged, and not there`);
  }
  violations.push(...ledger.strange.splice(0).map((answer) => `unexpected answer: ${answer}`));
  ledger.operations.clear();
  return { ...counts, touched, violations };
}

/** Returns what is wrong with the entry; null if it is that of the operation as requested and answered. */
function applyEntry(ledger: Ledger, entry: TrailEntry, operation: Operation): string | null {
  const { change, answer, keyId } = operation;
  const id = keyId ?? answer?.shown.id ?? entry.keyId;
  if (entry.keyId !== id) return `it is about key ${entry.keyId}, and the operation about ${String(id)}`;
  const known = ledger.keys.get(entry.keyId);
  const before = known?.steps.at(-1)?.after ?? null;
  const outcome = outcomeOf(before, change, valuesOf(entry));
  if (outcome.kind !== 'changed') return `the state before it admits no such change (${outcome.kind})`;
  const history = known ?? newHistory(entry);
  const step: Step = { revision: entry.revision, at: entry.at, operation, after: outcome.after };
  history.steps.push(step);
  ledger.keys.set(entry.keyId, history);
  if (entry.action !== actions[change.kind]) return `the operation was ${change.kind}`;
  if (answer !== null && answer.rejection !== null) return `the operation was rejected with ${answer.rejection}`;
  const expected = JSON.stringify(expectedChanges(before, outcome.after));
  const named = JSON.stringify([...entry.changes].sort((a, b) => (a.field < b.field ? -1 : 1)));
  if (named !== expected) return `it names the changes ${named}, and ${expected} was requested`;
  return answer === null ? null : answerProblem(answer.shown, history, outcome.after);
}

function valuesOf({ actor, at, changes }: TrailEntry): ServiceValues {
  return { actor, at, prefix: String(changes.find(({ field }) => field === 'prefix')?.after) };
}

function newHistory({ keyId, at }: TrailEntry): KeyHistory {
  return { id: keyId, createdAt: at, steps: [] };
}

function answerProblem(shown: Readonly<Record<string, unknown>>, history: KeyHistory, state: KeyState): string | null {
  const { id, createdAt } = history;
  const facts: Record<string, unknown> = { ...shownState(state), id, createdAt, state: stateName(state) };
  const hasExpired = state.expiresAt !== null && Date.parse(state.expiresAt) < Date.now();
  if (hasExpired && shown.state === 'EXPIRED') facts.state = 'EXPIRED';
  // Use is kept apart from changes, and may be lost.
  const wrong = Object.keys(shown).find(
    (field) => field !== 'lastUsedAt' && JSON.stringify(shown[field]) !== JSON.stringify(facts[field]),
  );
  if (wrong === undefined) return null;
  return `the answer had ${wrong} ${JSON.stringify(shown[wrong])}, and it is ${JSON.stringify(facts[wrong])}`;
}

/** An operation that was answered before another was requested must come before it. */
function checkOrder(ledger: Ledger, { started, answer }: Operation): string | null {
  const isLate = answer !== null && answer.ended < ledger.latestStart;
  ledger.latestStart = Math.max(ledger.latestStart, started);
  return isLate ? 'it was answered before an earlier one was requested' : null;
}

/** An operation that wrote nothing: some state that the key had between request and answer must explain its answer. */
function isExplained(ledger: Ledger, { change, keyId, started, answer }: Operation): boolean {
  // An expiry may have passed on its way.
  const expiry = change.kind === 'updateKey' ? Date.parse(change.settings.expiresAt ?? '') : Number.NaN;
  if (answer?.rejection === 'BAD_USER_INPUT' && expiry < Date.now()) return true;
  const steps = ledger.keys.get(keyId ?? '')?.steps ?? [];
  return steps.some(({ operation, after }, index) => {
    const next = steps[index + 1]?.operation;
    const isReached = operation.started < (answer?.ended ?? 0);
    const isLeft = next !== undefined && (next.answer?.ended ?? Number.POSITIVE_INFINITY) < started;
    if (!isReached || isLeft) return false;
    const outcome = outcomeOf(after, change, { actor: operation.actor, at: '', prefix: '' });
    return outcome.kind === 'rejected'
      ? outcome.code === answer?.rejection
      : isNothing(outcome.kind, answer?.rejection);
  });
}

function isNothing(kind: string, rejection: string | null | undefined): boolean {
  return kind === 'nothing to change' && rejection === null;
}

function describe({ actor, transport, change, keyId }: Operation): string {
  return `${actor}, ${change.kind} over ${transport}${keyId === null ? '' : ` of key ${keyId}`}`;
}
