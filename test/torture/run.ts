/** One run: keys, verifiers, changers and stops on two instances, for some seconds, and everything written down. */
import { randomUUID } from 'node:crypto';
import { Changer } from './changers.ts';
import type { ClockOffset, KeyHistory } from './history.ts';
import type { Instances } from './instances.ts';
import { Pool } from './pool.ts';
import { startStaleProxy } from './stale-proxy.ts';
import { type Stop, type StopPlan, Stopper } from './stops.ts';
import { Verifiers } from './verifiers.ts';

export interface Plan {
  readonly seconds: number;
  readonly keys: number;
  readonly changers: number;
  /** On average, between two changes of one changer. */
  readonly pauseMs: number;
  readonly stops: StopPlan;
  /** Ask B through a cache that keeps its verdicts for as long. */
  readonly staleMs: number | null;
}

export interface PortCounts {
  readonly asked: number;
  readonly unavailable: number;
  readonly unanswered: number;
}

export interface Run {
  readonly seconds: number;
  readonly keys: readonly KeyHistory[];
  readonly clock: ClockOffset;
  readonly stops: readonly Stop[];
  readonly ports: ReadonlyMap<string, PortCounts>;
  /** Answers that nothing explains: changes refused, and verdicts out of shape. */
  readonly strange: readonly string[];
}

export async function torture({ a, b }: Instances, plan: Plan): Promise<Run> {
  const proxy = plan.staleMs === null ? null : await startStaleProxy(b.verifyPort, plan.staleMs);
  const pool = new Pool();
  const stopper = new Stopper({ a, b });
  // Twice as many to A, so that each of its workers has as many as B.
  const verifiers = new Verifiers(
    [
      { at: 'A', port: a.verifyPort, connections: 16, salvo: 6 },
      { at: proxy === null ? 'B' : 'B, stale', port: proxy?.port ?? b.verifyPort, connections: 8, salvo: 3 },
    ],
    pool,
  );
  const ports = [a, b].map(({ name, port }) => ({ at: name, port, isStopped: () => stopper.isStopped(name) }));
  const options = { ports, pool, verifiers, teamId: randomUUID(), keys: plan.keys, pauseMs: plan.pauseMs };
  const changers = Array.from({ length: plan.changers }, () => new Changer(options));
  const clock = watchClock();
  const started = performance.now();
  // Verifiers need a key to start with.
  await changers[0]?.create();
  if (pool.size === 0) throw new Error(`no key could be created: ${changers[0]?.refused.join()}`);
  verifiers.start();
  const changing = changers.map((changer) => changer.run());
  const time = new Promise((resolve) => setTimeout(resolve, plan.seconds * 1000));
  await Promise.all([time, stopper.run(plan.stops, plan.seconds * 1000)]);
  for (const changer of changers) changer.stop();
  await Promise.all(changing);
  await verifiers.stop();
  await proxy?.stop();
  return {
    seconds: (performance.now() - started) / 1000,
    keys: pool.all,
    clock: clock.stop(),
    stops: stopper.stops,
    ports: verifiers.counts,
    strange: [...changers.flatMap(({ refused }) => refused), ...verifiers.strange],
  };
}

/** Date.now() may be slewed against performance.now(), so that one look at the start is not enough. */
function watchClock(): { readonly stop: () => ClockOffset } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  const look = () => {
    const offset = Date.now() - performance.now();
    least = Math.min(least, offset);
    most = Math.max(most, offset);
  };
  look();
  const timer = setInterval(look, 100);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { least, most };
    },
  };
}
