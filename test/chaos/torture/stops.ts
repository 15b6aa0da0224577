/** Stops a process at any point while the others continue, and then continues it, as on an overloaded machine. */
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../harness/random.ts';
import type { Server } from '../../harness/server.ts';
import { kill } from '../../support/processes.ts';

export interface Stop extends Pick<StopTarget, 'process' | 'instance' | 'verifies'> {
  readonly stopped: number;
  readonly continued: number;
}

export interface StopPlan {
  /** How many, spread over the run. */
  readonly count: number;
  readonly minMs: number;
  readonly maxMs: number;
}

interface StopTarget {
  readonly process: string;
  /** The instance that it belongs to. */
  readonly instance: string;
  /** Whether verifications wait while it is stopped. */
  readonly verifies: boolean;
  readonly pids: readonly number[];
}

export type Stopper = ReturnType<typeof createStopper>;

/** Stops one target after the other, so that one process always runs. */
export function createStopper(targets: readonly StopTarget[]) {
  const stops: Stop[] = [];
  const stoppedNow = new Set<string>();
  const stopNext = async (lastsMs: number) => {
    const target = targets[stops.length % targets.length];
    if (target === undefined) return;
    const { process, instance, verifies, pids } = target;
    stoppedNow.add(instance);
    const stopped = performance.now();
    for (const pid of pids) kill(pid, 'SIGSTOP');
    await pause(lastsMs);
    for (const pid of pids) kill(pid, 'SIGCONT');
    stops.push({ process, instance, verifies, stopped, continued: performance.now() });
    stoppedNow.delete(instance);
  };
  const run = async ({ count, minMs, maxMs }: StopPlan, overMs: number) => {
    for (let i = 0; i < count; i += 1) {
      const lastsMs = random.between(minMs, maxMs);
      await pause(Math.max(0, overMs / (count + 1) - lastsMs));
      await stopNext(lastsMs);
    }
  };
  return { stops, isStopped: (instance: string) => stoppedNow.has(instance), stopNext, run };
}

/** All processes of instances with one verification process, and single processes of the others. */
export function stopTargets(instances: readonly Server[]): readonly StopTarget[] {
  const isWhole = ({ verification }: Server) => verification.length === 1;
  return [
    ...instances.filter(isWhole).map(wholeTarget),
    ...instances
      .filter((one) => !isWhole(one))
      .flatMap(({ name, verification, management }) => [
        ...verification.map((pid, i) => ({
          process: `${name} verification ${i + 1}`,
          instance: name,
          verifies: true,
          pids: [pid],
        })),
        { process: `${name} management`, instance: name, verifies: false, pids: [management] },
      ]),
  ];
}

export function wholeTarget({ name, pids }: Server): StopTarget {
  return { process: name, instance: name, verifies: true, pids };
}
