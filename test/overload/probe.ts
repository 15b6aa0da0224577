/** A well-behaved client beside the load, which measures what accepted calls experience. */
import { Agent, request } from 'node:http';

export interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Probed {
  readonly accepted: number;
  readonly rejected: number;
  /** Neither served nor rejected as documented. */
  readonly strange: readonly string[];
  readonly acceptedP99Ms: number;
  readonly rejectedP99Ms: number;
}

const callsPerSecond = 25;

/** Calls at a fixed rate until stopped. Times are measured from when a call was due, so that they include every wait. */
export class Probe {
  readonly #call: Call;
  /** With an address of its own, because one address gets only a share of the capacity. */
  readonly #agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2' });
  readonly #accepted: number[] = [];
  readonly #rejected: number[] = [];
  readonly #strange: string[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  #due = 0;
  #underWay = 0;

  constructor(call: Call) {
    this.#call = call;
    this.#timer = setInterval(() => this.#catchUp(), 5);
  }

  #catchUp(): void {
    const now = performance.now();
    for (;;) {
      const dueAt = this.#startedAt + (this.#due * 1000) / callsPerSecond;
      if (dueAt > now) return;
      this.#due += 1;
      void this.#once(dueAt);
    }
  }

  async #once(dueAt: number): Promise<void> {
    this.#underWay += 1;
    const answer = await send(this.#call, this.#agent).catch((error: Error) => error.message);
    this.#underWay -= 1;
    const took = performance.now() - dueAt;
    if (answer === 'accepted') this.#accepted.push(took);
    else if (answer === 'rejected') this.#rejected.push(took);
    else this.#strange.push(answer);
  }

  async stop(): Promise<Probed> {
    clearInterval(this.#timer);
    while (this.#underWay > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    this.#agent.destroy();
    return {
      accepted: this.#accepted.length,
      rejected: this.#rejected.length,
      strange: this.#strange,
      acceptedP99Ms: percentile(this.#accepted, 0.99),
      rejectedP99Ms: percentile(this.#rejected, 0.99),
    };
  }
}

/** `accepted`, `rejected` (503 with Retry-After), or what else came. */
export async function send({ url, method, headers, body }: Call, agent?: Agent): Promise<string> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      const { statusCode = 0 } = response;
      const rejected = statusCode === 503 && response.headers['retry-after'] !== undefined;
      response.resume().once('error', reject);
      response.once('end', () => resolve(statusCode < 300 ? 'accepted' : rejected ? 'rejected' : String(statusCode)));
    });
    sent.once('error', reject).end(body);
  });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
