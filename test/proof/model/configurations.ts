/** What Spin checks: the model as it is, and the model with one part broken. README.md explains each. */
import type { Search } from './spin.ts';

export interface Configuration extends Search {
  readonly name: string;
}

/** A mutant of the model. Its name is its macro, and the constants are those of a small search that finds it. */
export type Mutant = Configuration;

const process = { PROCESSES: 1, WRITERS: 1, CHANGES: 2 };
const edge = { ...process, EDGES: 1 };
const upstreams = { ...edge, PROCESSES: 2, ROTATIONS: 0 };
const failover = { FAILOVERS: 1 };
/** Without what does not matter here, so that the shortest trace with a wrong VALID is found in a few seconds. */
const afterFailover = { ...failover, CHANGES: 1, CRASHES: 0, ROTATIONS: 0, ONLY_VALID: 1 };

export const configurations: readonly Configuration[] = [
  { name: 'process', constants: process },
  { name: 'two-processes', constants: { ...process, PROCESSES: 2, CHANGES: 1, CRASHES: 0 } },
  { name: 'two-writers', constants: { ...process, WRITERS: 2, CHANGES: 3 } },
  { name: 'long-lease', constants: { ...process, WRITERS: 2, LEASE: 3 } },
  { name: 'imports', constants: { ...process, WRITERS: 2, CHANGES: 3, IMPORTS: 1 } },
  { name: 'fences', constants: { ...process, WRITERS: 2, FENCES: 1 } },
  { name: 'failover', constants: { ...process, ...failover } },
  { name: 'edge', constants: edge },
  { name: 'edge-fences', constants: { ...edge, FENCES: 1, ROTATIONS: 0, CRASHES: 0 } },
  { name: 'edge-imports', constants: { ...edge, CHANGES: 3, IMPORTS: 1, LEASE: 0 } },
  { name: 'edge-failover', constants: { ...edge, ...failover, ROTATIONS: 0, CRASHES: 0 } },
  { name: 'two-upstreams', constants: { ...upstreams, CRASHES: 0, LEASE: 0 } },
  { name: 'two-upstreams-lease', constants: { ...upstreams, CHANGES: 1, CRASHES: 0 } },
  { name: 'process-decides', constants: { ...process, CHANGES: 1, CRASHES: 0 }, isLiveness: true },
  { name: 'edge-decides', constants: { ...edge, CHANGES: 1, CRASHES: 0, LEASE: 0 }, isLiveness: true },
];

export const mutants: readonly Mutant[] = [
  { name: 'LATE_ARRIVAL', constants: process },
  { name: 'OLD_ROW', constants: process },
  { name: 'DECIDE_FIRST', constants: process },
  { name: 'FAILED_CURSOR', constants: process },
  { name: 'TWO_STATEMENTS', constants: process },
  { name: 'EARLY_REVISION', constants: { ...process, WRITERS: 2 } },
  { name: 'UNCOMPARED', constants: { ...process, WRITERS: 2, CHANGES: 3, LEASE: 0, CRASHES: 0 } },
  { name: 'LEASE_FROM_ANSWER', constants: process },
  { name: 'LEASE_FROM_LAST', constants: { ...process, LEASE: 2 } },
  { name: 'FAILED_RENEWAL', constants: { ...process, LEASE: 2 } },
  { name: 'NO_WAIT', constants: process },
  { name: 'WAIT_FROM_START', constants: process },
  { name: 'TWO_CLOCKS', constants: process },
  { name: 'ANY_SECRET', constants: process },
  { name: 'ID_ONLY', constants: { ...process, IMPORTS: 1 } },
  { name: 'NO_CONFIRMED_IMPORTS', constants: { ...process, IMPORTS: 1 } },
  { name: 'NO_EPOCH', constants: { ...process, ...afterFailover } },
  { name: 'ROWS_FIRST', constants: edge },
  { name: 'FEED_LEASE', constants: { ...edge, LEASE: 2 } },
  { name: 'LATE_ANSWER', constants: { ...edge, LEASE: 0 } },
  { name: 'LOG_FROM_START', constants: { ...edge, LEASE: 0 } },
  { name: 'NO_EPOCH_IN_CURSOR', constants: { ...edge, ...afterFailover, LEASE: 0 } },
  { name: 'FENCE_NO_WAIT', constants: { ...process, FENCES: 1 } },
  { name: 'FENCE_ONCE', constants: { ...process, FENCES: 1 } },
  { name: 'FENCE_NO_CLEAR', constants: { ...edge, FENCES: 1, LEASE: 0 } },
  { name: 'LOOK_ONCE', constants: process },
  // Depth first, so the limit keeps the trace short.
  { name: 'FORGOTTEN', constants: { ...process, CRASHES: 0, LEASE: 0 }, isLiveness: true, maxDepth: 300 },
];

/** Conditions of docs/tasks/scaling.md and docs/reference/promise.md that Latchkey can't check. If one is not met, the promise does not hold. */
export const conditions: readonly Mutant[] = [
  { name: 'ASYNCHRONOUS', constants: { ...process, ...afterFailover } },
  { name: 'NOT_FENCED', constants: { ...process, ...afterFailover } },
  { name: 'CLOCK_STANDS', constants: process },
];
