import { spawnSync } from 'node:child_process';
import type { Figure } from './figures.ts';

/** What a cached key takes of the heap, measured in a process of its own with 200,000 of them. */
export function bytesPerCachedKey(): Figure {
  const { stdout } = spawnSync('node', ['--expose-gc', 'test/bench/fill-cache.ts']);
  const bytes = Number(stdout.toString());
  return { name: 'memory of a cached key', floor: '', value: '', result: bytes, atMost: 1024, unit: ' bytes' };
}
