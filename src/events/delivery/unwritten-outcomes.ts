import type { Delivery } from '../../domain/webhook/delivery.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { maxOutcomes, type Outcomes, type TakenDelivery } from '../../store/rows/delivery-queue.ts';

/** How often the logs of endpoints are cut, and of how many endpoints in one transaction. Each cut takes about 1 ms. */
const deliveriesPerTrim = 100;
const maxTrims = 4;

/** What became of attempts, until it is written, which happens in batches. */
export class UnwrittenOutcomes {
  readonly #random: () => number;
  /** By endpoint and event. */
  readonly #deliveries = new Map<string, { readonly teamId: string; readonly delivery: Delivery }>();
  /** Until when endpoints have asked to wait, by endpoint. */
  readonly #pauses = new Map<string, Date>();

  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  /** Whether there is a full batch to write. */
  get isFull(): boolean {
    return this.#deliveries.size >= maxOutcomes;
  }

  /** The deliveries as they are with these outcomes, which their rows do not tell yet. */
  get taken(): TakenDelivery[] {
    return Array.from(this.#deliveries.values(), ({ delivery: { webhookId, revision, outcome } }) => {
      return { webhookId, revision, isSettled: outcome !== 'PENDING' };
    });
  }

  add({ teamId }: Pick<Webhook, 'teamId'>, delivery: Delivery): void {
    this.#deliveries.set(idOf(delivery), { teamId, delivery });
  }

  pause({ id }: Pick<Webhook, 'id'>, until: Date): void {
    this.#pauses.set(id, until);
  }

  endPause(webhookId: string): void {
    this.#pauses.delete(webhookId);
  }

  /** Returns what to write next. It stays here until it is `written`. */
  nextBatch(): Outcomes {
    const first = [...this.#deliveries.values()].slice(0, maxOutcomes);
    const deliveries = first.map(({ delivery }) => delivery);
    const pauses = Array.from(this.#pauses, ([id, pausedUntil]) => ({ id, pausedUntil }));
    return { deliveries, pauses, trimmed: this.#toTrim(deliveries) };
  }

  /** Forgets a batch. Returns the teams of its endpoints. */
  written({ deliveries, pauses }: Outcomes): string[] {
    for (const { id, pausedUntil } of pauses) if (this.#pauses.get(id) === pausedUntil) this.#pauses.delete(id);
    return deliveries.flatMap((delivery) => {
      const { teamId } = this.#deliveries.get(idOf(delivery)) ?? {};
      this.#deliveries.delete(idOf(delivery));
      return teamId ?? [];
    });
  }

  clear(): void {
    this.#deliveries.clear();
    this.#pauses.clear();
  }

  /**
   * Chooses the endpoints whose log is cut to its maximum length: by lot, each on average once for so many deliveries.
   * Nothing has to be remembered for this, whatever happens to the endpoint, or to this instance.
   */
  #toTrim(written: readonly Delivery[]): string[] {
    const counts = new Map<string, number>();
    for (const { webhookId } of written) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    const chosen = [...counts].filter(([, count]) => this.#random() * deliveriesPerTrim < count);
    return chosen.slice(0, maxTrims).map(([webhookId]) => webhookId);
  }
}

function idOf({ webhookId, revision }: Pick<Delivery, 'webhookId' | 'revision'>): string {
  return `${webhookId} ${revision}`;
}
