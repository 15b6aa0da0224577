/** Clocks and timers. They are parameters, so that tests and simulations can control the time. */
export interface Scheduler {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Milliseconds since 1970, of a clock that can be set. */
  readonly date: () => number;
  /** Calls back at the end of this turn of the event loop, after all data that has arrived is read. */
  readonly endOfTurn: (callback: () => void) => void;
  /** Calls back after this time, unless the returned function is called first. The process stays alive until then. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Calls back after this time, if the process is still alive. */
  readonly afterIfAlive: (ms: number, callback: () => void) => void;
}

export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  date: () => Date.now(),
  endOfTurn: (callback) => {
    setImmediate(callback);
  },
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  afterIfAlive: (ms, callback) => {
    setTimeout(callback, ms).unref();
  },
};

/** Resolves at the end of this turn of the event loop. */
export function nextTurn({ endOfTurn }: Pick<Scheduler, 'endOfTurn'>): Promise<void> {
  return new Promise(endOfTurn);
}

/** Resolves after this time. */
export function pause({ after }: Pick<Scheduler, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(ms, resolve);
  });
}
