/**
 * Records what callers see, in the format of histories. Call each method at the moment of the event: just before a call
 * is sent, and when its answer has arrived. Secrets are never part of it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { type Circumstances, type Event, formatVersion, type Header, type KeyState, type Verdict } from './format.ts';

const clockIntervalMs = 100;

export class Recording {
  readonly events: Event[] = [];
  #calls = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#readClock();
    // The system clock may be slewed against that of the events.
    this.#timer = setInterval(() => this.#readClock(), clockIntervalMs).unref();
  }

  /** Returns the number of the call, for its answer. */
  change(key: string, change: string, after: KeyState): number {
    const call = this.#nextCall();
    this.events.push({ at: performance.now(), call, key, change, after });
    return call;
  }

  changed(answer: number): void {
    this.events.push({ at: performance.now(), answer });
  }

  /** The answer says that nothing was changed. */
  rejected(answer: number): void {
    this.events.push({ at: performance.now(), answer, rejected: true });
  }

  /** Returns the number of the call, for its answer. */
  verify(key: string, request: Circumstances, port: string): number {
    const call = this.#nextCall();
    this.events.push({ at: performance.now(), call, key, request, port });
    return call;
  }

  /** Without a verdict, the verification failed. */
  verified(answer: number, verdict?: Verdict): void {
    this.events.push({ at: performance.now(), answer, ...(verdict === undefined ? {} : { verdict }) });
  }

  /** Ends the recording. */
  stop(leaseMs = 0): Header {
    clearInterval(this.#timer);
    this.#readClock();
    return { version: formatVersion, clock: { min: this.#min, max: this.#max }, leaseMs };
  }

  #nextCall(): number {
    this.#calls += 1;
    return this.#calls;
  }

  #readClock(): void {
    const offset = Date.now() - performance.now();
    this.#min = Math.min(this.#min, offset);
    this.#max = Math.max(this.#max, offset);
  }
}

const linesPerWrite = 10_000;

export async function writeHistory(file: string, header: Header, events: readonly Event[]): Promise<void> {
  const output = await open(file, 'w');
  try {
    await writeEvents(output, header, events);
  } finally {
    await output.close();
  }
}

export async function writeEvents(output: FileHandle, header: Header, events: readonly Event[]): Promise<void> {
  await output.write(`${JSON.stringify(header)}\n`);
  for (let i = 0; i < events.length; i += linesPerWrite) {
    const lines = events.slice(i, i + linesPerWrite).map((event) => `${JSON.stringify(event)}\n`);
    await output.write(lines.join(''));
  }
}
