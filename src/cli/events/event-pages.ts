/** Reads the events of a team page by page, through restarts of the service. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import { readResource, retryAfterMs } from '../service/service.ts';

/** The position after everything that happened before the call. */
export const latest = 'latest';

const contents = z.object({
  /** Printed as they are, also members that this version does not know. */
  events: z.array(z.record(z.string(), z.unknown())),
  next: z.string().min(1),
});

export type EventPage = Readonly<z.output<typeof contents>>;

export interface EventPagesOptions {
  readonly teamId: string;
  readonly types: readonly string[] | undefined;
  /** An id of an event, the `next` of a page, or `latest`; null for the oldest event. */
  readonly after: string | null;
  /** Whether to wait for more events, and for a service that does not answer. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Called once for each time in which the service does not answer. */
  readonly onOutage: (failure: Failure) => void;
}

/** How long the service waits for the next event, in seconds: the maximum of `GET /v1/events`. */
const waitSeconds = 30;
const timeoutMs = 45_000;
/** The maximum of `GET /v1/events`. Pages of long events have fewer. */
const pageSize = 500;
/** The minimum time between calls that return nothing, in case a service does not wait. */
const minEmptyCallMs = 1000;
/** Delays are at most this long, because timers take at most 24 days. */
const maxRetryMs = 600_000;
/** The number of attempts without `follow`. */
const maxAttempts = 8;

/** Yields pages in order, which can be empty: each `next` is a position to continue from. Ends when the signal aborts. */
export async function* readEventPages(options: EventPagesOptions): AsyncGenerator<EventPage, void> {
  const { follow, signal } = options;
  let { after } = options;
  while (!signal.aborted) {
    const startedMs = performance.now();
    const page = await orEnd(signal, () => readThroughOutages(options, after));
    if (page === null) return;
    yield page;
    const isAtEnd = page.next === after;
    if (isAtEnd && !follow) return;
    after = page.next;
    const remainingMs = minEmptyCallMs - (performance.now() - startedMs);
    if (isAtEnd && remainingMs > 0) await orEnd(signal, () => pause(remainingMs, undefined, { signal }));
  }
}

/** Returns null if the signal has aborted. */
async function orEnd<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

async function readThroughOutages(options: EventPagesOptions, after: string | null): Promise<EventPage> {
  const { follow, signal, onOutage } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readPage(options, after);
    } catch (error) {
      const isOver = !(error instanceof Failure) || !error.isTemporary || (!follow && attempt === maxAttempts);
      if (isOver) throw error;
      if (attempt === 1) onOutage(error);
      // Programs that lost the same service don't come back at the same moment.
      const delayMs = retryAfterMs(error, attempt) * (1 + Math.random() / 4);
      await pause(Math.min(delayMs, maxRetryMs), undefined, { signal });
    }
  }
}

async function readPage(
  { teamId, types, follow, signal }: EventPagesOptions,
  after: string | null,
): Promise<EventPage> {
  const query = new URLSearchParams({ teamId, limit: String(pageSize) });
  if (after !== null) query.set('after', after);
  if (types !== undefined) query.set('types', types.join(','));
  // The first position is returned at once, so that nothing is missed if this program ends before the first event.
  if (follow && after !== null && after !== latest) query.set('wait', String(waitSeconds));
  const page = contents.safeParse(await readResource(`/v1/events?${query}`, { timeoutMs, signal }));
  if (!page.success) throw new Failure('NO_ANSWER', 'the service did not answer with events');
  return page.data;
}
