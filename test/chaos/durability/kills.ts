/** The ways in which a round ends. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../harness/random.ts';
import type { Server } from '../../harness/server.ts';
import type { PostgresServer } from '../../support/postgres.ts';
import { childrenOf, kill } from '../../support/processes.ts';
import type { Ledger } from '../ledger.ts';

const killKinds = [
  'service',
  'with two verification processes',
  'supervisor',
  'one process',
  'during start-up',
  'on an empty database',
  'PostgreSQL, SIGKILL',
  'PostgreSQL, immediate',
  'PostgreSQL and service',
  'power loss',
] as const;

export type KillKind = (typeof killKinds)[number];

export function drawKind(random: Random, withPostgres: boolean): KillKind {
  return random.pickWeighted<KillKind>({
    service: 9,
    'with two verification processes': 3,
    supervisor: 2,
    'one process': 2,
    'during start-up': 3,
    'on an empty database': 3,
    ...(withPostgres ? { 'PostgreSQL, SIGKILL': 2, 'PostgreSQL, immediate': 2, 'PostgreSQL and service': 2 } : {}),
  });
}

export function workersFor(kind: KillKind): number {
  return ['with two verification processes', 'supervisor', 'one process'].includes(kind) ? 2 : 1;
}

interface Scene {
  readonly service: Server;
  readonly ledger: Ledger;
  readonly postgres: PostgresServer | null;
  readonly random: Random;
  /** Called with the time until the service was ready again, if it was not itself killed. */
  readonly recovered: (ms: number) => void;
}

const readyAgainWithinMs = 20_000;

/** Ends with the service dead, and everything else running. */
export async function killAtRandom(kind: KillKind, scene: Scene): Promise<void> {
  const { service, postgres } = scene;
  await someAnswers(scene);
  if (kind === 'one process') await killProcess(scene);
  if (kind === 'PostgreSQL and service') await Promise.all([postgres?.kill('SIGKILL'), service.kill()]);
  if (kind === 'PostgreSQL, SIGKILL') await killPostgres(scene, 'SIGKILL');
  if (kind === 'PostgreSQL, immediate') await killPostgres(scene, 'SIGQUIT');
  if (kind === 'PostgreSQL and service') await postgres?.start();
  else if (kind === 'supervisor') await service.killSupervisor();
  else await service.kill();
}

/**
 * Counts answers and not only time: then as many are in progress on a busy machine as on an idle one. Half of the kills
 * follow an answer immediately, in case it was sent too early; the others come at any time.
 */
async function someAnswers({ ledger, random }: Scene): Promise<void> {
  await Promise.race([ledger.moreAnswers(random.whole(1, maxAnswers)), pause(timeoutMs)]);
  if (random.chance(0.5)) await pause(random.between(0, 20));
}

const maxAnswers = 150;
const timeoutMs = 1500;

/** Management, the sender of webhooks or one of the verification processes: the supervisor starts it again. */
async function killProcess({ service, random, recovered }: Scene): Promise<void> {
  const processes = childrenOf(service.pid);
  if (processes.length !== 4) throw new Error(`of four processes there are ${processes.length}`);
  kill(random.pick(processes), 'SIGKILL');
  await readyAgain(service, recovered);
  await pause(random.between(20, 400));
}

/** The service keeps running, reports that it is not ready, and recovers without a restart. */
async function killPostgres({ service, postgres, random, recovered }: Scene, signal: 'SIGKILL' | 'SIGQUIT') {
  await postgres?.kill(signal);
  await pause(random.between(0, 200));
  await postgres?.start();
  await readyAgain(service, recovered);
  await pause(random.between(20, 400));
}

async function readyAgain(service: Server, recovered: (ms: number) => void): Promise<void> {
  const began = performance.now();
  await service.ready(readyAgainWithinMs);
  recovered(performance.now() - began);
}
