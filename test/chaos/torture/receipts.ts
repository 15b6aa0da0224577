/** The receipts of a run: no accepted use may contradict one. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ReceiptStatement } from '../../../src/domain/receipt/receipt.ts';
import { Client } from '../../harness/client.ts';
import type { ChangeKind } from '../../harness/key-model.ts';
import type { ChangeCall, Event, Header, VerifyCall } from '../../proof/history/format.ts';
import { both, sessionToken } from '../../support/service.ts';
import type { Operation } from '../ledger.ts';

/** After these, no use of the key is accepted until the next change of it. */
const ending: readonly ChangeKind[] = ['revokeKey', 'disableKey', 'freezeKeys'];

export interface Receipt {
  /** The name of the key in the history. */
  readonly label: string;
  readonly kind: ChangeKind;
  /** When the change was requested, by performance.now(). */
  readonly started: number;
  readonly statement: ReceiptStatement;
}

const readers = 8;
const maxWaitMs = 60_000;

/** Waits until each receipt is complete: every verifier has confirmed the change, or is silent. */
export async function readReceipts(
  port: number,
  teamId: string,
  operations: readonly Operation[],
  labelOf: (keyId: string) => string | undefined,
): Promise<readonly Receipt[]> {
  const client = new Client(port, { connections: readers });
  const token = sessionToken({ [teamId]: both });
  const waiting = operations.filter(
    ({ change, answer, revision }) => ending.includes(change.kind) && answer?.rejection === null && revision != null,
  );
  const deadline = Date.now() + maxWaitMs;
  const receipts: Receipt[] = [];
  const read = async ({ change, keyId, started, revision }: Operation): Promise<void> => {
    for (;;) {
      const reply = await client.call({ method: 'GET', path: `/v1/receipts/${revision}`, token });
      const statement: ReceiptStatement | undefined =
        reply?.status === 200 ? JSON.parse(reply.text).statement : undefined;
      if (statement !== undefined && (statement.complete || Date.now() > deadline)) {
        receipts.push({ label: labelOf(keyId ?? '') ?? '', kind: change.kind, started, statement });
        return;
      }
      if (Date.now() > deadline) throw new Error(`a receipt was not answered: ${reply?.status} ${reply?.text}`);
      await pause(200);
    }
  };
  const next = async (): Promise<void> => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await read(one);
  };
  await Promise.all(Array.from({ length: readers }, next));
  client.close();
  return receipts;
}

/** Describes the accepted uses that arrived when, as a receipt says, none could be accepted anymore. */
export function contradictions(header: Header, events: readonly Event[], receipts: readonly Receipt[]): string[] {
  const changes = byKey(events.filter(isChange));
  const uses = byKey(acceptedUses(events));
  return receipts.flatMap(({ label, started, statement }) => {
    // By the clock of the events, as late as the clocks permit.
    const inForce = Date.parse(statement.inForceSince) + 1 - header.clock.min;
    const next = changes.get(label)?.find(({ at }) => at > started && at > inForce)?.at ?? Number.POSITIVE_INFINITY;
    const wrong = (uses.get(label) ?? []).filter(({ from, to }) => from > inForce && to < next);
    return wrong.map(
      ({ from }) => `${label} was accepted ${(from - inForce).toFixed(1)} ms after its ${statement.action}`,
    );
  });
}

function byKey<Value extends { readonly key: string }>(
  values: readonly Value[],
): ReadonlyMap<string, readonly Value[]> {
  const lists = new Map<string, Value[]>();
  for (const value of values) {
    const list = lists.get(value.key);
    if (list === undefined) lists.set(value.key, [value]);
    else list.push(value);
  }
  return lists;
}

const isChange = (event: Event): event is ChangeCall => 'change' in event;

function acceptedUses(events: readonly Event[]) {
  const calls = new Map<number, VerifyCall>();
  const uses: { readonly key: string; readonly from: number; readonly to: number }[] = [];
  for (const event of events) {
    if ('request' in event) calls.set(event.call, event);
    const call = 'answer' in event ? calls.get(event.answer) : undefined;
    if (call === undefined || !('verdict' in event)) continue;
    calls.delete(call.call);
    const { code, accepted } = event.verdict ?? {};
    if (code === 'VALID' || accepted === true) uses.push({ key: call.key, from: call.at, to: event.at });
  }
  return uses;
}
