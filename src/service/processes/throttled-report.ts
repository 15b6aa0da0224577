import type { Logger } from 'pino';

export type Report = (error: unknown, what: string) => void;

const quietMs = 1000;

/** Logs the first of equal errors, and a second later the number of repeats: the log must not grow with the load. */
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
