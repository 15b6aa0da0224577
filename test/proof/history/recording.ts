/** Records what callers see, in the format of histories. */
import { type FileHandle, open } from 'node:fs/promises';
import { type Circumstances, type Event, formatVersion, type Header, type KeyState, type Verdict } from './format.ts';

/**
 * Call each method at the moment of the event: just before a call is sent, and when its answer has arrived. Secrets are
 * never part of it.
 */
export class Recorder {
  /** Those that were answered. */
  changes = 0;
  verdicts = 0;
  readonly #now: () => number;
  readonly #write: (event: Event) => void;
  #calls = 0;

  constructor(now: () => number, write: (event: Event) => void) {
    this.#now = now;
    this.#write = write;
  }

  /** Returns the number of the call, for its answer. */
  change(key: string, change: string, after: KeyState): number {
    this.#calls += 1;
    this.#write({ at: this.#now(), call: this.#calls, key, change, after });
    return this.#calls;
  }

  changed(answer: number): void {
    this.changes += 1;
    this.#write({ at: this.#now(), answer });
  }

  /** The answer says that nothing was changed. */
  rejected(answer: number): void {
    this.#write({ at: this.#now(), answer, rejected: true });
  }

  /** Returns the number of the call, for its answer. */
  verify(key: string, request: Circumstances, port: string): number {
    this.#calls += 1;
    this.#write({ at: this.#now(), call: this.#calls, key, request, port });
    return this.#calls;
  }

  /** Without a verdict, the verification failed. */
  verified(answer: number, verdict?: Verdict): void {
    if (verdict !== undefined) this.verdicts += 1;
    this.#write({ at: this.#now(), answer, ...(verdict === undefined ? {} : { verdict }) });
  }
}

const clockIntervalMs = 100;

/** A recorder with the clocks of this machine. */
export class Recording extends Recorder {
  readonly events: Event[];
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    const events: Event[] = [];
    super(
      () => performance.now(),
      (event) => events.push(event),
    );
    this.events = events;
    this.#readClock();
    // The system clock may be slewed against that of the events.
    this.#timer = setInterval(() => this.#readClock(), clockIntervalMs).unref();
  }

  /** Ends the recording. */
  stop(leaseMs = 0): Header {
    clearInterval(this.#timer);
    this.#readClock();
    return { version: formatVersion, clock: { min: this.#min, max: this.#max }, leaseMs };
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
