/**
 * What an edge counts and sends to the service: about once per second the use of keys and the counts of rate limits, and
 * every ten seconds the observed sources. A report whose answer is lost is sent again, so that use may be counted twice.
 */
import type { ControlPlane, VerdictCount } from '../../domain/control-plane.ts';
import { type FeedReport, maxReportCount } from '../../domain/feed-messages.ts';
import { KeyRateLimits } from '../../usage/key-rate-limits.ts';
import { SourceRecorder } from '../../usage/source-recorder.ts';
import { UsageRecorder } from '../../usage/usage-recorder.ts';
import { VerifierRejectedError } from '../verdict.ts';
import type { Upstreams } from './upstreams.ts';

/** Longer than for a verification: the service writes the counts before it answers. */
const timeoutMs = 5000;
const answerLimitBytes = 64 * 1024;

export class Reports {
  readonly usage: UsageRecorder;
  readonly sources: SourceRecorder;
  readonly rateLimits: KeyRateLimits;

  constructor(upstreams: Upstreams, edge: string, onError: (error: unknown) => void) {
    const send = (counts: Partial<FeedReport>) => {
      const body: FeedReport = { edge, usage: [], sources: [], rates: [], ...counts };
      return upstreams.post({
        path: 'feed/reports',
        body,
        secrets: [],
        limitBytes: answerLimitBytes,
        timeoutMs,
        parse: (value): unknown => value,
      });
    };
    const add = async (counts: Partial<FeedReport>): Promise<void> => {
      try {
        await send(counts);
      } catch (error) {
        // The service will not take these records later either, such as those of two days ago.
        if (!(error instanceof VerifierRejectedError && error.status === 400)) throw error;
        onError(error);
      }
    };
    const controlPlane: Pick<ControlPlane, 'addUsage' | 'addSources' | 'exchangeCounts'> = {
      addUsage: (usage) => add({ usage: usage.map(bounded) }),
      addSources: (sources) => add({ sources: sources.map(bounded) }),
      exchangeCounts: async (rates) => {
        const within = rates.map((rate) => ({ ...rate, count: Math.min(rate.count, maxReportCount) }));
        return totalsOf(await send({ rates: within }), rates.length);
      },
    };
    this.usage = new UsageRecorder(controlPlane, onError);
    this.sources = new SourceRecorder(controlPlane, onError);
    this.rateLimits = new KeyRateLimits(controlPlane, onError);
  }

  /** Sends the remaining counts. */
  async close(): Promise<void> {
    await Promise.all([this.usage.close(), this.sources.close(), this.rateLimits.close()]);
  }
}

/** The service takes no larger counts. Only after an outage of minutes could there be some. */
function bounded<Counted extends { readonly counts: readonly VerdictCount[] }>(record: Counted): Counted {
  return {
    ...record,
    counts: record.counts.map(({ code, count }) => ({ code, count: Math.min(count, maxReportCount) })),
  };
}

function totalsOf(answer: unknown, count: number): readonly number[] {
  const totals = typeof answer === 'object' && answer !== null && 'totals' in answer ? answer.totals : null;
  const isComplete = Array.isArray(totals) && totals.length === count && totals.every(Number.isFinite);
  if (!isComplete) throw new TypeError('the answer to a report must have a total for each rate');
  return totals;
}
