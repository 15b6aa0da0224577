import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from '../../admission/fair-queue.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import type { EntryHead } from '../../store/rows/audit-log.ts';
import type { DeliveryState } from '../../store/rows/deliveries.ts';
import type { EnabledWebhook } from '../../store/rows/event-worker.ts';
import type { Store } from '../../store/store.ts';
import { EndpointQueue } from './endpoint-queue.ts';

const minWindow = 4;
/** The maximum for all endpoints together, about 60 MB. Only with more than 200 endpoints is a window smaller. */
const maxEvents = 200_000;
/** Endpoints, or entries of the log, that are read at once. */
const webhooksPerPage = 100;
const entriesPerPage = 500;

const noStates = new Map();

type EndpointsStore = Pick<Store, 'auditLog' | 'deliveries' | 'eventWorker' | 'webhooks'>;

type IsSettled = (webhookId: string, state: DeliveryState) => boolean;

/** The enabled endpoints of all teams, and what is to be sent to each. */
export class Endpoints {
  readonly #store: EndpointsStore;
  readonly #byId = new Map<string, EndpointQueue>();
  readonly #byTeam = new Map<string, Set<EndpointQueue>>();
  /** The endpoints for which something is to be read, in turns of their teams. */
  readonly #toRead = new FairQueue<EndpointQueue>();
  readonly #isToRead = new Set<EndpointQueue>();
  /** The endpoints whose change is in the log, and whether it is enabled again. */
  #changed = new Map<string, { readonly isRestarted: boolean }>();
  /** The last entry of each team since `load` has started. */
  readonly #lastOfTeams = new Map<string, bigint>();
  #isLoading = false;
  readonly #isSettled: IsSettled;
  readonly #maxWindow: number;
  /** The number of endpoints that `load` has found. */
  #loaded = 0;

  /** @param isSettled whether a pending delivery is settled, although this is not stored yet */
  constructor(store: EndpointsStore, maxWindow: number, isSettled: IsSettled) {
    this.#isSettled = isSettled;
    this.#store = store;
    this.#maxWindow = maxWindow;
  }

  [Symbol.iterator](): IterableIterator<EndpointQueue> {
    return this.#byId.values();
  }

  get size(): number {
    return this.#byId.size;
  }

  has(queue: EndpointQueue): boolean {
    return this.#byId.get(queue.webhook.id) === queue;
  }

  /** Whether `refresh` or `readNext` has something to do. */
  get isToRead(): boolean {
    return this.#changed.size > 0 || this.#toRead.length > 0;
  }

  clear(): void {
    for (const queue of [...this.#byId.values()]) this.#drop(queue);
    this.#changed.clear();
    this.#lastOfTeams.clear();
  }

  /**
   * Loads all enabled endpoints from the store.
   * @param locate returns a revision; `notice` gets all entries that follow it
   */
  async load(locate: () => Promise<unknown>): Promise<void> {
    this.clear();
    this.#isLoading = true;
    try {
      await locate();
      let found = await this.#enabled();
      const end = await this.#store.auditLog.lastRevision();
      if (found.some(({ webhook }) => webhook.cursor > end)) {
        await this.#store.eventWorker.resetCursors();
        found = await this.#enabled();
      }
      this.#loaded = found.length;
      for (const { webhook, isBehind, hasPending } of found) {
        const queue = this.#add(webhook);
        queue.isBehind = isBehind || (this.#lastOfTeams.get(webhook.teamId) ?? 0n) > queue.loadedUntil;
        queue.mayHavePending = hasPending;
        this.check(queue);
      }
      for (const teamId of this.#lastOfTeams.keys()) if (!this.#byTeam.has(teamId)) this.#lastOfTeams.delete(teamId);
    } finally {
      this.#isLoading = false;
    }
  }

  async #enabled(): Promise<readonly EnabledWebhook[]> {
    const found: EnabledWebhook[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await this.#store.eventWorker.enabled(found.at(-1)?.webhook.id ?? '', webhooksPerPage);
      found.push(...page);
      isLast = page.length < webhooksPerPage;
      await nextTurn();
    }
    return found;
  }

  /** Takes new entries of the log. Returns the endpoints that may have something to send now. */
  notice(entries: readonly EntryHead[], nowMs: number): ReadonlySet<EndpointQueue> {
    const touched = new Set<EndpointQueue>();
    const ofTeams = new Map<string, EntryHead[]>();
    for (const entry of entries) {
      if (entry.action.startsWith('WEBHOOK_') || entry.action === 'EVENTS_REPLAYED') this.#noticeChange(entry);
      const { teamId } = entry;
      if (!this.#isLoading && !this.#byTeam.has(teamId)) continue;
      this.#lastOfTeams.set(teamId, entry.revision);
      const ofTeam = ofTeams.get(teamId);
      if (ofTeam === undefined) ofTeams.set(teamId, [entry]);
      else ofTeam.push(entry);
    }
    for (const [teamId, ofTeam] of ofTeams) {
      for (const queue of this.#byTeam.get(teamId) ?? []) {
        if (!queue.isBehind) {
          if (!queue.append(ofTeam, noStates, nowMs)) queue.isBehind = true;
          touched.add(queue);
        }
        this.check(queue);
      }
    }
    return touched;
  }

  #noticeChange({ action, keyId }: EntryHead): void {
    if (action === 'WEBHOOK_TESTED') return;
    const queue = this.#byId.get(keyId);
    if (action === 'EVENTS_REPLAYED') {
      if (queue !== undefined) {
        queue.mayHavePending = true;
        this.check(queue);
      }
      return;
    }
    this.#mustRefresh(keyId, action === 'WEBHOOK_ENABLED');
  }

  /** Has an endpoint read again, because it may have changed. */
  reread(webhookId: string): void {
    this.#mustRefresh(webhookId, false);
  }

  #mustRefresh(webhookId: string, isRestarted: boolean): void {
    const before = this.#changed.get(webhookId)?.isRestarted === true;
    this.#changed.set(webhookId, { isRestarted: before || isRestarted });
    const queue = this.#byId.get(webhookId);
    if (queue !== undefined) queue.isOutdated = true;
  }

  /** Reads the endpoints that were changed. */
  async refresh(): Promise<void> {
    for (const [id, { isRestarted }] of this.#changed) {
      // Before it is read, because it can change again meanwhile.
      this.#changed.delete(id);
      const webhook = await this.#store.webhooks.find(id).catch((error) => {
        this.#mustRefresh(id, isRestarted);
        throw error;
      });
      const queue = this.#byId.get(id);
      const isEnabled = webhook !== null && webhook.disabledAt === null;
      if (queue !== undefined && (!isEnabled || isRestarted || queue.isHalted)) this.#drop(queue);
      if (!isEnabled) continue;
      if (queue === undefined || !this.has(queue)) this.check(this.#add(webhook));
      else {
        queue.webhook = webhook;
        queue.isOutdated = this.#changed.has(id);
      }
    }
  }

  /** Notes that something is to be read for an endpoint, if it is so. */
  check(queue: EndpointQueue): void {
    if (!queue.isToRead || this.#isToRead.has(queue) || !this.has(queue)) return;
    this.#isToRead.add(queue);
    this.#toRead.push(queue.webhook.teamId, queue);
  }

  /** Reads what is next for one endpoint. Returns it; null if there is nothing to read. */
  async readNext(now: () => number): Promise<EndpointQueue | null> {
    const queue = this.#toRead.shift();
    if (queue === undefined) return null;
    this.#isToRead.delete(queue);
    if (!this.has(queue)) return queue;
    try {
      if (queue.mayHavePending) await this.#readPending(queue);
      if (queue.isBehind) await this.#readLog(queue, now);
    } finally {
      this.check(queue);
    }
    return queue;
  }

  async #readPending(queue: EndpointQueue): Promise<void> {
    queue.mayHavePending = false;
    try {
      const states = await this.#store.deliveries.pending(queue.webhook.id, queue.windowSize);
      const unsettled = states.filter((state) => !this.#isSettled(queue.webhook.id, state));
      queue.addPending(unsettled, states.length < queue.windowSize);
    } catch (error) {
      queue.mayHavePending = true;
      throw error;
    }
  }

  async #readLog(queue: EndpointQueue, now: () => number): Promise<void> {
    const { id, teamId } = queue.webhook;
    const after = queue.loadedUntil;
    const entries = await this.#store.auditLog.headsAfter(after, entriesPerPage, teamId);
    const last = entries.at(-1);
    const states = last === undefined ? [] : await this.#store.deliveries.statesBetween(id, after, last.revision);
    const byRevision = new Map(states.map((state) => [state.revision, state]));
    const hadRoom = queue.append(entries, byRevision, now());
    const isRead = hadRoom && entries.length < entriesPerPage;
    queue.isBehind = !isRead || (this.#lastOfTeams.get(teamId) ?? 0n) > queue.loadedUntil;
  }

  #add(webhook: Webhook): EndpointQueue {
    const share = Math.floor(maxEvents / Math.max(this.#loaded, this.#byId.size + 1));
    const windowSize = Math.max(minWindow, Math.min(this.#maxWindow, share));
    const queue = new EndpointQueue(webhook, windowSize);
    this.#byId.set(webhook.id, queue);
    const ofTeam = this.#byTeam.get(webhook.teamId) ?? new Set();
    this.#byTeam.set(webhook.teamId, ofTeam.add(queue));
    return queue;
  }

  #drop(queue: EndpointQueue): void {
    const { id, teamId } = queue.webhook;
    queue.drop();
    this.#byId.delete(id);
    const ofTeam = this.#byTeam.get(teamId);
    ofTeam?.delete(queue);
    if (ofTeam?.size === 0) {
      this.#byTeam.delete(teamId);
      this.#lastOfTeams.delete(teamId);
    }
    if (this.#isToRead.delete(queue)) this.#toRead.remove(teamId, queue);
  }
}
