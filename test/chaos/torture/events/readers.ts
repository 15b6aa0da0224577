/** Readers of `GET /v1/events`, which continue after `next`, at any instance. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../../harness/client.ts';
import { random } from '../../../harness/random.ts';
import type { ManagementPort } from '../../clients.ts';
import type { ReadEvent, ReaderHistory } from './history.ts';

/** Shorter than the timeout of a client. */
const waitSeconds = 5;
const retryMs = 200;

export class EventReader implements ReaderHistory {
  readonly name: string;
  readonly teamId: string;
  readonly events: ReadEvent[] = [];
  /** How many calls got events, none, or no answer. */
  readonly calls = { full: 0, empty: 0, failed: 0 };
  readonly #token: string;
  readonly #ports: readonly (ManagementPort & { readonly client: Client })[];
  #after: string | null = null;
  #running = true;

  constructor(name: string, teamId: string, token: string, ports: readonly ManagementPort[]) {
    this.name = name;
    this.teamId = teamId;
    this.#token = token;
    this.#ports = ports.map((port) => ({ ...port, client: new Client(port.port) }));
  }

  async run(): Promise<void> {
    while (this.#running) {
      if (!(await this.#read())) await pause(retryMs);
    }
    for (const { client } of this.#ports) client.close();
  }

  stop(): void {
    this.#running = false;
  }

  /** Returns whether it got an answer. */
  async #read(): Promise<boolean> {
    const query = new URLSearchParams({ teamId: this.teamId, wait: String(waitSeconds), limit: '200' });
    if (this.#after !== null) query.set('after', this.#after);
    const reply = await random
      .pick(this.#ports)
      .client.call({ method: 'GET', path: `/v1/events?${query}`, token: this.#token });
    if (reply?.status !== 200) {
      this.calls.failed += 1;
      return false;
    }
    const { events, next } = JSON.parse(reply.text);
    this.calls[events.length > 0 ? 'full' : 'empty'] += 1;
    this.events.push(...events);
    this.#after = next;
    return true;
  }
}
