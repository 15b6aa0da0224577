/** The plan of a load generator, and its report. */
export interface LoadPlan {
  readonly url: string;
  /** Whole HTTP requests, sent in turn and from the first one again. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** The local addresses that the connections come from, in turn. */
  readonly addresses: readonly string[];
  /**
   * Calls a second, whatever the answers do: each latency counts from when its call was due, so that a stalled server
   * is charged for every call that it delayed. Absent: each connection sends its next call when it has its answer.
   */
  readonly perSecond?: number;
  /** Without `perSecond`: how long a connection waits between an answer and its next call. */
  readonly pauseMs?: number;
  /** A text that an answer with a 2xx status must contain to count as served. */
  readonly expected?: string;
  /** The niceness of the process. Absent: that of its parent. */
  readonly niceness?: number;
}

export interface LoadReport {
  readonly seconds: number;
  /** Answered with 2xx and the expected text. */
  readonly served: number;
  /** Answered with 429 or 503. */
  readonly rejected: number;
  /** All other outcomes by their count: statuses, `broken` connections, calls `unanswered` at the end. */
  readonly others: Readonly<Record<string, number>>;
  /** Of the served calls and of those without an answer; NaN where there are none. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** How late the generator's own timer was, 99 times of 100: a large value means that the machine is too busy. */
  readonly ownDelayP99Ms: number;
}

export type FromGenerator = 'started' | LoadReport;
