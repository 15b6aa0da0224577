import { FairQueue } from '../../admission/fair-queue.ts';
import type { Endpoint } from '../../store/rows/delivery-queue.ts';

/** Endpoints to look at, those of different teams in turns. What they have to get is in the store. */
export class EndpointTurns {
  readonly #queue = new FairQueue<Endpoint>();
  readonly #ids = new Set<string>();

  get length(): number {
    return this.#ids.size;
  }

  add(endpoint: Endpoint): void {
    if (this.#ids.has(endpoint.id)) return;
    this.#ids.add(endpoint.id);
    this.#queue.push(endpoint.teamId, endpoint);
  }

  shift(): Endpoint | undefined {
    const endpoint = this.#queue.shift();
    if (endpoint !== undefined) this.#ids.delete(endpoint.id);
    return endpoint;
  }

  clear(): void {
    while (this.shift() !== undefined);
  }
}
