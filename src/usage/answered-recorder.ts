/** Records when changes were answered, for receipts. A killed process loses one second. */
import { PeriodicWriter } from './periodic-writer.ts';

export interface AnsweredChange {
  readonly revision: bigint;
  readonly answeredAt: Date;
}

interface AnsweredSink {
  readonly addAnswered: (changes: readonly AnsweredChange[]) => Promise<void>;
}

const flushIntervalMs = 1000;
/** What is dropped has a receipt that says when it was in force instead of when it was answered. */
const maxWaiting = 10_000;

export class AnsweredRecorder extends PeriodicWriter<AnsweredChange> {
  readonly #sink: AnsweredSink;
  #answered: AnsweredChange[] = [];

  constructor(sink: AnsweredSink, report: (error: unknown) => void) {
    super(flushIntervalMs, report);
    this.#sink = sink;
  }

  override get waiting(): number {
    return this.#answered.length;
  }

  record(revisions: readonly bigint[], answeredAt: Date): void {
    if (this.#answered.length >= maxWaiting) return;
    this.#answered.push(...revisions.map((revision) => ({ revision, answeredAt })));
    this.schedule();
  }

  protected override async write(chunk: readonly AnsweredChange[]): Promise<void> {
    await this.#sink.addAnswered(chunk);
  }

  protected override restore(unwritten: AnsweredChange): void {
    this.#answered.push(unwritten);
  }

  protected override take(): readonly AnsweredChange[] {
    const taken = this.#answered;
    this.#answered = [];
    return taken;
  }
}
