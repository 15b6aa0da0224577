import type { Logger } from 'pino';

export type Report = (error: unknown, what: string) => void;

const quietMs = 1000;

/**
 * Logs the first of what goes wrong in the same way, and a second later how often it went on: when the store is gone
 * or everybody calls at once, a log that grows with the load would be part of it.
 */
export function throttledReport(log: Logger): Report {
  const repeats = new Map<string, number>();
  return (error, what) => {
    const count = repeats.get(what);
    if (count !== undefined) {
      repeats.set(what, count + 1);
      return;
    }
    log.error({ err: error }, what);
    repeats.set(what, 0);
    setTimeout(() => {
      const times = repeats.get(what) ?? 0;
      repeats.delete(what);
      if (times > 0) log.error({ times }, `${what}, again`);
    }, quietMs).unref();
  };
}
