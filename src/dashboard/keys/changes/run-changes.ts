/** Runs a call for each of many keys: a few at a time, and no faster than the server allows. */
import { ApiError } from '../../api/api-error.ts';

const parallelCalls = 4;

interface Run<Item, Result> {
  readonly items: readonly Item[];
  readonly call: (item: Item) => Promise<Result>;
  /** When it is aborted, no further call is started. */
  readonly signal: AbortSignal;
  /** Called after each item. */
  readonly onEnd: (item: Item, outcome: PromiseSettledResult<Result>) => void;
}

export async function runForEach<Item, Result>({ items, call, signal, onEnd }: Run<Item, Result>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) {
      if (signal.aborted) return;
      const [outcome] = await Promise.allSettled([patiently(() => call(item), signal)]);
      onEnd(item, outcome);
    }
  };
  await Promise.all(Array.from({ length: parallelCalls }, worker));
}

/** Repeats a call that was rejected because of the rate limit, after the time that the server asked for. */
export async function patiently<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
      if (seconds === null || seconds > 120 || signal.aborted) throw error;
      await sleep(seconds * 1000, signal);
    }
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
