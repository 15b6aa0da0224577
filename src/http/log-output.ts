import { write, writeSync } from 'node:fs';

/** Characters that wait for a slow reader of the log, at most. */
const maxBacklogCharacters = 4_000_000;
const pauseMs = 100;

/**
 * Where the log goes. What can't be written is lost: a full disk, a reader
 * that has gone or one that has stopped reading must neither end the service nor make a verification wait.
 *
 * Pino's own destination ends the process on a full disk, and would never stop trying at its exit; the backlog for a
 * reader that stopped reading grows without bound.
 */
export class LogOutput {
  readonly #descriptor: number;
  #waiting = '';
  #writing = false;
  /** Whether the last that came through was the beginning of a line. */
  #torn = false;

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
    const bytes = Buffer.from(this.#torn ? `\n${this.#waiting}` : this.#waiting);
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
        this.#torn = written < bytes.length;
        if (this.#torn) this.#write(bytes.subarray(written));
        else this.#next();
      }
    });
  }

  #writeRest(): void {
    // Whoever has not read what is being written may never do so.
    if (this.#writing) return;
    try {
      writeSync(this.#descriptor, this.#waiting);
    } catch {
      // Nobody is left to tell.
    }
  }
}
