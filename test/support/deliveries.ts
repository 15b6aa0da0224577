/** The delivery of events over a real store, at a time that the test lets pass. */
import { randomBytes, randomUUID } from 'node:crypto';
import { noSubject } from '../../src/domain/audit-entry.ts';
import { eventIdOf } from '../../src/domain/event/event.ts';
import type { EventAction } from '../../src/domain/event/event-types.ts';
import { OpaqueRevisions } from '../../src/domain/opaque-revisions.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { parseAllowedNetwork } from '../../src/domain/webhook/delivery-address.ts';
import { mintWebhookSecret, sealWebhookSecret } from '../../src/domain/webhook/signature.ts';
import type { Webhook } from '../../src/domain/webhook/webhook.ts';
import { Deliverer, type DelivererOptions } from '../../src/events/delivery/deliverer.ts';
import { formsOf, unnamedInstallation } from '../../src/events/forms/forms.ts';
import { LogTail } from '../../src/events/log-tail.ts';
import { type EventSender, WebhookSender } from '../../src/events/sender/webhook-sender.ts';
import { Decision, type NewEntry, type RowWrite } from '../../src/store/changes/change.ts';
import { makeDeliveriesDue, removeDeliveries } from '../../src/store/rows/deliveries.ts';
import { insertWebhook, removeWebhook, webhookWithId, writeWebhook } from '../../src/store/rows/webhooks.ts';
import type { Store } from '../../src/store/store.ts';
import { ManualScheduler } from './manual-scheduler.ts';
import { write } from './write.ts';

export const signingKeks = keyRing([{ id: 'kek', bytes: Buffer.alloc(32, 'k') }]);
const revisions = new OpaqueRevisions(Buffer.alloc(32, 'r'));
export const idOf = (revision: bigint) => eventIdOf(revision, revisions);

/** The wall clock of all workers of a test. */
export class WallClock {
  #ms = Date.parse('2026-11-26T12:00:00Z');
  now = () => new Date(this.#ms);
  pass(ms: number): void {
    this.#ms += ms;
  }
}

/** How much time passes in one step of `until`, and how long a step takes at least. */
const stepMs = 25;
const pauseMs = 5;
const maxSteps = 4000;
/** How many pauses a step waits for calls of the store. Some tests block one. */
const maxPauses = 20;

export type Worker = ReturnType<typeof startWorker>;

export type WorkerStore = DelivererOptions['store'];

/** Starts an instance's deliverer. Its own time passes only in `until`. */
export interface WorkerOptions {
  /** Like `Math.random`. */
  readonly random?: () => number;
  /** Stands in for what sends. */
  readonly send?: EventSender['send'];
}

export function startWorker(from: WorkerStore, clock: WallClock, { random = () => 0.5, send }: WorkerOptions = {}) {
  const scheduler = new ManualScheduler();
  let skippedMs = 0;
  const clockOfWorker = {
    ...{ now: () => scheduler.now() + skippedMs, date: () => clock.now().getTime(), endOfTurn: scheduler.endOfTurn },
    ...{ after: scheduler.after, afterIfAlive: scheduler.afterIfAlive },
  };
  const errors: unknown[] = [];
  const report = (error: unknown) => errors.push(error);
  let calls = 0;
  /** Counts the calls under way, because little of the test's time may pass during one. */
  const counted = <Part extends object>(part: Part): Part =>
    new Proxy({} as Part, {
      get: (_, name) => {
        const value = Reflect.get(part, name);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]) => {
          const answer = value.apply(part, values);
          if (!(answer instanceof Promise)) return answer;
          calls += 1;
          return answer.finally(() => {
            calls -= 1;
          });
        };
      },
    });
  const store = {
    keys: counted(from.keys),
    changes: from.changes,
    auditLog: counted(from.auditLog),
    claims: counted(from.claims),
    deliveryQueue: counted(from.deliveryQueue),
  };
  const isCalling = () => calls > 0;
  const network = parseAllowedNetwork('127.0.0.0/8');
  const sender = new WebhookSender({
    addressesOf: async () => [],
    allowedNetworks: network.ok ? [network.value] : [],
    userAgent: 'Latchkey/test',
    // A test that lets requests hang ends them itself.
    timeoutMs: 600_000,
  });
  const tail = new LogTail({ auditLog: store.auditLog, report, scheduler: clockOfWorker });
  const forms = formsOf({ source: unnamedInstallation, version: 'test' });
  const deliverer = new Deliverer({
    sender: send === undefined ? sender : { send },
    ...{ store, tail, forms, revisions, signingKeks, report, scheduler: clockOfWorker },
    now: clock.now,
    random,
  });
  tail.start();
  deliverer.start();
  return {
    deliverer,
    errors,
    scheduler,
    isCalling,
    /** Its clock goes on, without any of its timers: the process was stopped for this time. */
    wakeAfter: (ms: number) => {
      skippedMs += ms;
    },
    close: async () => {
      const closed = deliverer.close();
      let isClosed = false;
      void closed.finally(() => {
        isClosed = true;
      });
      while (!isClosed) await step([{ scheduler, isCalling }]);
      tail.stop();
      sender.close();
    },
  };
}

async function step(workers: readonly Pick<Worker, 'scheduler' | 'isCalling'>[]): Promise<void> {
  for (const { scheduler } of workers) await scheduler.advance(stepMs);
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  await pause();
  for (let i = 0; i < maxPauses && workers.some(({ isCalling }) => isCalling()); i += 1) await pause();
}

/** Lets time pass for the workers until the condition holds. */
export async function until(
  workers: readonly Worker[],
  clock: WallClock,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let i = 0; i < maxSteps; i += 1) {
    if (await condition()) return;
    clock.pass(stepMs);
    await step(workers);
  }
  throw new Error('the condition did not become true');
}

/** Lets time pass for the workers. */
export async function pass(workers: readonly Worker[], clock: WallClock, ms: number): Promise<void> {
  const end = clock.now().getTime() + ms;
  await until(workers, clock, () => clock.now().getTime() >= end);
}

interface AppendedEvent {
  readonly action?: EventAction;
  readonly keyId?: string;
}

/** Appends events to the log. Returns their ids. */
export async function appendEvents(store: Store, teamId: string, events: readonly AppendedEvent[], at = new Date()) {
  const entries = events.map(({ action = 'KEY_UPDATED', keyId = noSubject }) => entryOf(teamId, action, keyId, at));
  const first = await write(store, { entries });
  return events.map((_, i) => ({ id: idOf(first + BigInt(i)), revision: first + BigInt(i) }));
}

export function entryOf(teamId: string, action: EventAction, keyId: string, at: Date): NewEntry {
  const by = {
    actor: 'tester',
    actorKind: 'SESSION',
    credentialId: null,
    source: null,
    requestId: randomUUID(),
  } as const;
  return { action, keyId, teamId, ...by, at, changes: [], details: null };
}

export async function addWebhook(
  store: Store,
  teamId: string,
  url: string,
  fields: Partial<Webhook> = {},
  keks = signingKeks,
) {
  const id = randomUUID();
  const secret = mintWebhookSecret('V1', randomBytes);
  const cursor = await store.auditLog.lastRevision();
  const webhook: Webhook = {
    id,
    teamId,
    url,
    description: null,
    types: [],
    form: 'STANDARD',
    signature: 'V1',
    secretEnvelope: sealWebhookSecret(secret, { webhookId: id, version: 1 }, keks, randomBytes),
    secretVersion: 1,
    previousSecretEnvelope: null,
    previousSecretExpiresAt: null,
    createdAt: new Date(),
    disabledAt: null,
    disabledReason: null,
    cursor,
    version: 1,
    ...fields,
  };
  const created = { ...webhook, cursor: webhook.cursor + 1n };
  await write(store, { entries: [entryOf(teamId, 'WEBHOOK_CREATED', id, new Date())], rows: [insertWebhook(created)] });
  return { ...webhook, secret };
}

/** Changes an endpoint as a person does. */
export async function changeWebhook(
  store: Store,
  id: string,
  changed: Partial<Webhook>,
  action: EventAction = 'WEBHOOK_UPDATED',
  { at = new Date(), rows = [] }: { readonly at?: Date; readonly rows?: readonly RowWrite[] } = {},
): Promise<void> {
  await store.changes.submit<void, Webhook | null>({
    queueKey: 'the test',
    load: webhookWithId(id),
    decide: (webhook) => {
      if (webhook === null) throw new Error('there is no such webhook');
      const after = { ...webhook, ...changed, version: webhook.version + 1 };
      const entries = [entryOf(webhook.teamId, action, id, at)];
      return new Decision(undefined, { entries, rows: [...rows, writeWebhook(after)] });
    },
  });
}

export async function setEnabled(store: Store, id: string, isEnabled: boolean, at: Date): Promise<void> {
  if (isEnabled) {
    const state = { disabledAt: null, disabledReason: null } as const;
    await changeWebhook(store, id, state, 'WEBHOOK_ENABLED', { at, rows: [makeDeliveriesDue(id, at)] });
  } else await changeWebhook(store, id, { disabledAt: at, disabledReason: 'MANUAL' }, 'WEBHOOK_DISABLED', { at });
}

export async function removeWebhooks(store: Store, teamId: string): Promise<void> {
  for (const { id } of await store.webhooks.list(teamId)) {
    const entries = [entryOf(teamId, 'WEBHOOK_DELETED', id, new Date())];
    await write(store, { entries, rows: [removeDeliveries(id), removeWebhook(id)] });
  }
}
