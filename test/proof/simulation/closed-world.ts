/** Makes a run repeatable: while a function runs, it can use no clock, timer or random number of this machine. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { Random } from '../../harness/random.ts';

const forbidden: readonly (readonly [object, readonly string[]])[] = [
  [globalThis, ['setTimeout', 'setInterval', 'setImmediate']],
  [timers, ['setTimeout', 'setInterval', 'setImmediate']],
  [Date, ['now']],
  [performance, ['now']],
  [Math, ['random']],
  [crypto, ['randomBytes', 'randomInt', 'randomFillSync']],
];

export async function inClosedWorld<Result>(random: Random, run: () => Promise<Result>): Promise<Result> {
  const restored: (() => void)[] = [];
  const replace = (owner: object, name: string, value: unknown) => {
    const original = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    restored.push(() => {
      if (original === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, original);
    });
  };
  for (const [owner, names] of forbidden) {
    for (const name of names) {
      replace(owner, name, () => {
        throw new Error(`the simulated code called ${name}, which differs from run to run`);
      });
    }
  }
  replace(crypto, 'randomUUID', () => uuidOf(random));
  syncBuiltinESMExports();
  try {
    return await run();
  } finally {
    for (const restore of restored) restore();
    syncBuiltinESMExports();
  }
}

function uuidOf(random: Random): string {
  const hex = Array.from({ length: 8 }, () => random.whole(0, 0xffff).toString(16).padStart(4, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
