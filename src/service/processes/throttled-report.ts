import type { Logger } from 'pino';

export type Report = (error: unknown, what: string) => void;

const quietMs = 1000;

/** Logs an error at once and the number of its repeats a second later, so that the log does not grow with the load. */
export function throttledReport(log: Logger): Report {
  const repeats = new Map<string, number>();
  return (error, what) => {
    const count = repeats.get(what);
    repeats.set(what, count === undefined ? 0 : count + 1);
    if (count !== undefined) return;
    log.error({ err: error }, what);
    setTimeout(() => {
      const times = repeats.get(what) ?? 0;
      repeats.delete(what);
      if (times > 0) log.error({ times }, `${what}, again`);
    }, quietMs).unref();
  };
}
