/** The ways in which a round ends. */
import type { Ledger } from './ledger.ts';
import type { KillablePostgres } from './postgres.ts';
import { kill, pause } from './processes.ts';
import type { Random } from './random.ts';
import type { DurableService } from './service.ts';

export const killKinds = [
  'service',
  'whole cluster',
  'primary of a cluster',
  'one worker',
  'during start-up',
  'on an empty database',
  'PostgreSQL, SIGKILL',
  'PostgreSQL, immediate',
  'PostgreSQL and service',
] as const;

export type KillKind = (typeof killKinds)[number];

export function drawKind(random: Random, withPostgres: boolean): KillKind {
  return random.pickWeighted<KillKind>({
    service: 9,
    'whole cluster': 3,
    'primary of a cluster': 2,
    'one worker': 1,
    'during start-up': 3,
    'on an empty database': 3,
    ...(withPostgres ? { 'PostgreSQL, SIGKILL': 2, 'PostgreSQL, immediate': 2, 'PostgreSQL and service': 2 } : {}),
  });
}

export function workersFor(kind: KillKind): number {
  return ['whole cluster', 'primary of a cluster', 'one worker'].includes(kind) ? 2 : 1;
}

interface Scene {
  readonly service: DurableService;
  readonly ledger: Ledger;
  readonly postgres: KillablePostgres | null;
  readonly random: Random;
  /** Told how long the service took to be ready again where it was not itself killed. */
  readonly recovered: (ms: number) => void;
}

const readyAgainWithinMs = 20_000;

/** Ends with the service dead, and everything else running. */
export async function killAtRandom(kind: KillKind, scene: Scene): Promise<void> {
  const { service, postgres } = scene;
  await someAnswers(scene);
  if (kind === 'one worker') await killWorker(scene);
  if (kind === 'PostgreSQL and service') await Promise.all([postgres?.kill('SIGKILL'), service.kill()]);
  if (kind === 'PostgreSQL, SIGKILL') await killPostgres(scene, 'SIGKILL');
  if (kind === 'PostgreSQL, immediate') await killPostgres(scene, 'SIGQUIT');
  if (kind === 'PostgreSQL and service') await postgres?.restart();
  else if (kind === 'primary of a cluster') await service.killPrimary();
  else await service.kill();
}

/**
 * Counted in answers and not in time alone: on a busy machine as many are under way as on an idle one. Half of the
 * kills follow the answer at once, for what it says may not be true yet; the others come at any moment.
 */
async function someAnswers({ ledger, random }: Scene): Promise<void> {
  await Promise.race([ledger.moreAnswers(random.whole(1, mostAnswers)), pause(patienceMs)]);
  if (random.chance(0.5)) await pause(random.between(0, 20));
}

const mostAnswers = 150;
const patienceMs = 1500;

/** A worker that dies within its first two seconds takes the others with it, so that a broken start is noticed. */
const workerIsOldAfterMs = 2500;

async function killWorker({ service, random, recovered }: Scene): Promise<void> {
  await pause(Math.max(0, service.startedAt + workerIsOldAfterMs + 1000 - performance.now()));
  const workers = service.workers;
  if (workers.length < 2) throw new Error(`of two workers there are ${workers.length}`);
  kill(random.pick(workers), 'SIGKILL');
  await readyAgain(service, recovered);
  await pause(random.between(20, 400));
}

/** The service lives on, says that it is not ready, and is ready again by itself. */
async function killPostgres({ service, postgres, random, recovered }: Scene, signal: 'SIGKILL' | 'SIGQUIT') {
  await postgres?.kill(signal);
  await pause(random.between(0, 200));
  await postgres?.restart();
  await readyAgain(service, recovered);
  await pause(random.between(20, 400));
}

async function readyAgain(service: DurableService, recovered: (ms: number) => void): Promise<void> {
  const began = performance.now();
  await service.ready(readyAgainWithinMs);
  recovered(performance.now() - began);
}
