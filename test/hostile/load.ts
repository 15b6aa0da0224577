/** Starts and stops load generators, each in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromGenerator, LoadPlan, LoadReport } from './load-plan.ts';

export interface RunningLoad {
  readonly stop: () => Promise<LoadReport>;
}

/** Attackers run at a lower priority than the service and its victim: in reality they have machines of their own. */
export const attackerNiceness = 19;

export async function startLoad(plan: LoadPlan): Promise<RunningLoad> {
  // JSON has no NaN, which is the latency where nothing was served.
  const child = fork(fileURLToPath(new URL('load-process.ts', import.meta.url)), { serialization: 'advanced' });
  const message = async (): Promise<FromGenerator> => {
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('a load generator ended unexpectedly')));
    const [received]: FromGenerator[] = await Promise.race([once(child, 'message'), ended]);
    if (received === undefined) throw new Error('a load generator said nothing');
    return received;
  };
  child.send(plan);
  await message();
  return {
    stop: async () => {
      const report = message();
      child.send('stop');
      const received = await report;
      if (received === 'started') throw new Error('a load generator started twice');
      return received;
    },
  };
}

export async function runLoad(plan: LoadPlan, seconds: number): Promise<LoadReport> {
  const load = await startLoad(plan);
  await pause(seconds * 1000);
  return await load.stop();
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Addresses of the loopback network, none of which is the victim's. */
export function manyAddresses(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `127.1.${i >> 8}.${i & 255}`);
}

export const victimAddress = '127.0.0.1';
