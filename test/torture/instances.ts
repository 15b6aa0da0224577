/** Instances of the built service on one database, each with processes of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/embedded-postgres.ts';
import { processesOf } from '../support/processes.ts';
import { jwtSecret } from '../support/service.ts';
import { Program } from './program.ts';

export interface Instance {
  readonly name: string;
  readonly port: number;
  readonly verifyPort: number;
  /** Every process, the supervisor first. */
  readonly pids: readonly number[];
  readonly management: number;
  readonly verification: readonly number[];
  /** Whether all of these processes still run. */
  readonly isAlive: () => boolean;
  /** Ends it by this signal, and starts it again on the same ports. */
  readonly restart: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

export interface InstanceOptions {
  readonly name: string;
  readonly databaseUrl: string;
  readonly workers?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

export interface Instances {
  readonly all: readonly Instance[];
  readonly stop: () => Promise<void>;
}

/** Two on one SQLite database: A with two verification processes, B with one and a tiny cache. */
export async function startSqliteInstances(environment: NodeJS.ProcessEnv = {}): Promise<Instances> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-torture-'));
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeDirectory);
  const databaseUrl = `file:${join(directory, 'latchkey.db')}`;
  const instances = await startInstances([
    { name: 'A', databaseUrl, workers: 2, environment },
    { name: 'B', databaseUrl, environment: { ...environment, VERIFY_CACHE_KEYS: '16' } },
  ]);
  return {
    all: instances.all,
    stop: async () => {
      await instances.stop();
      process.off('exit', removeDirectory);
      removeDirectory();
    },
  };
}

export async function startInstances(requested: readonly InstanceOptions[]): Promise<Instances> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-torture-'));
  const { start, stop } = startedPrograms(() => rmSync(directory, { recursive: true, force: true }));
  const startInstance = async ({ name, databaseUrl, workers = 1, environment }: InstanceOptions): Promise<Instance> => {
    const [port, verifyPort] = [await freePort(), await freePort()];
    const program = new Program({
      name: `instance ${name}`,
      command: ['dist/main.js'],
      environment: {
        PORT: String(port),
        VERIFY_PORT: String(verifyPort),
        DATA_DIR: directory,
        DATABASE_URL: databaseUrl,
        JWT_SECRET: jwtSecret,
        WORKERS: String(workers),
        MANAGEMENT_RATE_LIMIT: '1000000',
        ...environment,
      },
    });
    await start(program);
    return instanceOf(name, program, { port, verifyPort });
  };
  try {
    const all: Instance[] = [];
    for (const one of requested) all.push(await startInstance(one));
    return { all, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function instanceOf(name: string, program: Program, ports: Pick<Instance, 'port' | 'verifyPort'>): Instance {
  return {
    name,
    ...ports,
    get pids() {
      return program.pids;
    },
    get management() {
      return processesOf(program.pid).management;
    },
    get verification() {
      return processesOf(program.pid).verification;
    },
    isAlive: () => program.isAlive,
    restart: (signal) => program.restart(signal),
  };
}

/** Ends all processes that the run has started, including stopped ones, if the run itself fails. */
export function startedPrograms(cleanUp: () => void) {
  const programs: Program[] = [];
  const killAll = () => {
    for (const program of programs) program.kill();
    cleanUp();
  };
  process.once('exit', killAll);
  return {
    start: async (program: Program): Promise<void> => {
      programs.push(program);
      await program.start();
    },
    stop: async (): Promise<void> => {
      await Promise.all(programs.map((program) => program.end()));
      process.off('exit', killAll);
      cleanUp();
    },
  };
}
