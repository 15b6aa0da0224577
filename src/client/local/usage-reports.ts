/**
 * Sends an edge's counts to the service: usage and rate limits about once per second, observed sources every ten
 * seconds. A report whose answer is lost is sent again, so its counts may be added twice.
 */
import type { VerdictCount } from '../../domain/verdict/verdict-code.ts';
import { KeyRateLimits } from '../../usage/key-rate-limits.ts';
import { SourceRecorder } from '../../usage/source-recorder.ts';
import { UsageRecorder } from '../../usage/usage-recorder.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { type FeedReport, maxReportAgeMs, maxReportCount } from '../../wire/feed-messages.ts';
import { VerifierRejectedError } from '../verdict.ts';
import type { Upstreams } from './upstreams.ts';

/** Longer than the 20 s that verification waits for management: a report that times out here may count twice. */
export const reportTimeoutMs = 25_000;
const answerLimitBytes = 64 * 1024;

/** One minute less than the service accepts, because the clock of the service may be ahead. */
const maxAgeMs = maxReportAgeMs - 60_000;

interface Counted {
  readonly counts: readonly VerdictCount[];
}

export class UsageReports {
  readonly usage: UsageRecorder;
  readonly sources: SourceRecorder;
  readonly rateLimits: KeyRateLimits;
  readonly #upstreams: Upstreams;
  readonly #edge: string;
  readonly #onError: (error: unknown) => void;
  readonly #rejected = { usage: 0, sources: 0 };

  constructor(upstreams: Upstreams, edge: string, onError: (error: unknown) => void) {
    this.#upstreams = upstreams;
    this.#edge = edge;
    this.#onError = (error) => {
      try {
        onError(error);
      } catch {
        // An error from `onError` must not stop the reports.
      }
    };
    const controlPlane: Pick<ControlPlane, 'addUsage' | 'addSources' | 'addRates'> = {
      addUsage: (records) => this.#add('usage', records, ({ hour }) => hour),
      addSources: (records) => this.#add('sources', records, ({ lastAt }) => lastAt),
      addRates: async (rates) => {
        const within = rates.map((rate) => ({ ...rate, count: Math.min(rate.count, maxReportCount) }));
        return totalsOf(await this.#send({ rates: within }), rates.length);
      },
    };
    this.usage = new UsageRecorder(controlPlane, this.#onError);
    this.sources = new SourceRecorder(controlPlane, this.#onError);
    this.rateLimits = new KeyRateLimits(controlPlane, this.#onError);
  }

  /** The number of verifications that were dropped from the reports. */
  get dropped(): { readonly usage: number; readonly sources: number } {
    return {
      usage: this.usage.dropped + this.#rejected.usage,
      sources: this.sources.dropped + this.#rejected.sources,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.usage.close(), this.sources.close(), this.rateLimits.close()]);
  }

  /** Drops records that the service would reject because of their age, so that it accepts the other records. */
  #recent<One extends Counted>(kind: Kind, records: readonly One[], timeOf: (record: One) => Date): One[] {
    const oldest = Date.now() - maxAgeMs;
    const [recent, old]: [One[], One[]] = [[], []];
    for (const record of records) (timeOf(record).getTime() < oldest ? old : recent).push(record);
    if (old.length > 0) this.#drop(kind, old, new RangeError('counts of more than 48 hours ago were dropped'));
    return recent;
  }

  async #add<One extends Counted>(kind: Kind, records: readonly One[], timeOf: (record: One) => Date): Promise<void> {
    let rest = this.#recent(kind, records, timeOf);
    try {
      for (; rest.length > 0; rest = rest.flatMap(withoutBounded)) await this.#send({ [kind]: rest.map(bounded) });
    } catch (error) {
      // The service would reject these records later too.
      if (!(error instanceof VerifierRejectedError && error.status !== 401)) throw error;
      this.#drop(kind, rest, error);
    }
  }

  #drop(kind: Kind, records: readonly Counted[], reason: Error): void {
    for (const { counts } of records) for (const { count } of counts) this.#rejected[kind] += count;
    this.#onError(reason);
  }

  async #send(counts: Partial<FeedReport>): Promise<unknown> {
    const body: FeedReport = { edge: this.#edge, usage: [], sources: [], rates: [], ...counts };
    const message = { body, secrets: [], limitBytes: answerLimitBytes, timeoutMs: reportTimeoutMs };
    return await this.#upstreams.post({ path: 'feed/reports', ...message, parse: (value): unknown => value });
  }
}

type Kind = 'usage' | 'sources';

/** Limits the counts. The service rejects larger counts, which occur only after an outage of minutes. */
function bounded<One extends Counted>(record: One): One {
  return {
    ...record,
    counts: record.counts.map(({ code, count }) => ({ code, count: Math.min(count, maxReportCount) })),
  };
}

/** Returns what `bounded` has left out of a record: one record or none. */
function withoutBounded<One extends Counted>(record: One): One[] {
  const counts = record.counts
    .map(({ code, count }) => ({ code, count: count - maxReportCount }))
    .filter(({ count }) => count > 0);
  return counts.length > 0 ? [{ ...record, counts }] : [];
}

function totalsOf(answer: unknown, count: number): readonly number[] {
  const totals = typeof answer === 'object' && answer !== null && 'totals' in answer ? answer.totals : null;
  const isComplete = Array.isArray(totals) && totals.length === count && totals.every(Number.isFinite);
  if (!isComplete) throw new TypeError('the answer to a report must have a total for each rate');
  return totals;
}
