import { write, writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';

/** The maximum number of characters that wait for a slow reader of the log. */
const maxBacklogCharacters = 4_000_000;
const pauseMs = 100;

/**
 * Writes the log. Drops lines that can't be written, so that a full disk or a stopped reader does not end the service or
 * delay a verification. Pino's own destination ends the process on a full disk, and buffers without limit.
 */
export class LogOutput {
  readonly #descriptor: number;
  #waiting = '';
  #writing = false;
  /** Whether the last write ended in the middle of a line. */
  #isMidLine = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    process.once('exit', () => this.#writeRest());
  }

  write(lines: string): void {
    if (this.#waiting.length + lines.length > maxBacklogCharacters) return;
    this.#waiting += lines;
    if (!this.#writing) this.#next();
  }

  #next(): void {
    this.#writing = this.#waiting !== '';
    if (!this.#writing) return;
    const bytes = Buffer.from(this.#isMidLine ? `\n${this.#waiting}` : this.#waiting);
    this.#waiting = '';
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    write(this.#descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#write(bytes), pauseMs);
      } else if (error !== null) {
        this.#next();
      } else {
        this.#isMidLine = written < bytes.length;
        if (this.#isMidLine) this.#write(bytes.subarray(written));
        else this.#next();
      }
    });
  }

  #writeRest(): void {
    // A pending write means that the reader is slow and may never read.
    if (this.#writing) return;
    try {
      writeSync(this.#descriptor, this.#waiting);
    } catch {
      // The error can't be reported: the log has failed and the process is exiting.
    }
  }
}

const standardOutput = new LogOutput(1);

/** Field names that are redacted from every logged object. */
const secrets = ['authorization', 'secret', 'signingSecret', 'token', 'key', 'digest', 'signingEnvelope'];

export function createLog(level: string): Logger {
  const redact = secrets.flatMap((name) => [name, `*.${name}`, `*.headers.${name}`]);
  return pino({ level, redact }, standardOutput);
}

/** Writes warnings of Node.js and of packages as lines of the log. Node.js itself would write them as text. */
export function logWarnings(log: Pick<Logger, 'warn'>): void {
  process.removeAllListeners('warning').on('warning', ({ name, message, ...others }) => {
    log.warn({ problem: message, name, code: Reflect.get(others, 'code') }, 'warning of Node.js');
  });
}
