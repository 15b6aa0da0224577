/** A clock and timers. It is a parameter, so that tests and simulations can control the time. */
export interface Scheduler {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Calls back at the end of this turn of the event loop, after all data that has arrived is read. */
  readonly endOfTurn: (callback: () => void) => void;
  /** Calls back after this time. The process stays alive until then. */
  readonly after: (ms: number, callback: () => void) => void;
  /** Calls back after this time, if the process is still alive. */
  readonly afterIfAlive: (ms: number, callback: () => void) => void;
}

export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  endOfTurn: (callback) => {
    setImmediate(callback);
  },
  after: (ms, callback) => {
    setTimeout(callback, ms);
  },
  afterIfAlive: (ms, callback) => {
    setTimeout(callback, ms).unref();
  },
};
