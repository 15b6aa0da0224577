import { LatchkeyError } from '../domain/errors.ts';

const intervalMs = 100;
/** A transaction with more would delay others, such as that of a revocation. */
const maxRecords = 500;

interface Report<Item> {
  readonly records: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes the records of many reports at once: a transaction for each of them would take more of the processor than the
 * records do. Used for reports of edges, which each come once a second.
 */
export class GroupedWriter<Item> {
  readonly #write: (records: readonly Item[]) => Promise<void>;
  #reports: Report<Item>[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(write: (records: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  /** Settles when the records are written, with those that others add within a tenth of a second. */
  add(records: readonly Item[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    if (this.#size + records.length > maxRecords) this.#flush();
    return new Promise((resolve, reject) => {
      this.#reports.push({ records, resolve, reject });
      this.#size += records.length;
      this.#timer ??= setTimeout(() => this.#flush(), intervalMs);
    });
  }

  #flush(): void {
    const reports = this.#reports;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#reports = [];
    this.#size = 0;
    this.#timer = null;
    void this.#writeGroup(reports);
  }

  /** Never rejects. */
  async #writeGroup(reports: readonly Report<Item>[]): Promise<void> {
    try {
      await this.#write(reports.flatMap(({ records }) => records));
    } catch (error) {
      // One report that can't be written must not keep the others from being written.
      if (reports.length > 1 && !mayBeWritten(error)) for (const report of reports) await this.#writeGroup([report]);
      else for (const { reject } of reports) reject(error);
      return;
    }
    for (const { resolve } of reports) resolve();
  }
}

function mayBeWritten(error: unknown): boolean {
  return error instanceof LatchkeyError && error.code === 'UNAVAILABLE';
}
