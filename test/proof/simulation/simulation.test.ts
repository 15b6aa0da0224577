/** The simulator: it repeats runs exactly, the code keeps the promise in it, and it finds broken builds. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenBuilds, edited } from './broken-builds.ts';
import { runEpisode } from './episode.ts';
import { run } from './run.ts';

/** Returns a digest of all events of an episode. */
async function digestOf(seed: number): Promise<string> {
  const digest = createHash('sha256');
  const add = (line: object) => void digest.update(JSON.stringify(line));
  await runEpisode(seed, { header: add, event: add });
  return digest.digest('hex');
}

describe('an episode', () => {
  it('is repeated exactly by its seed, and differs from those of other seeds', async () => {
    const first = await digestOf(1);
    expect(await digestOf(1)).toBe(first);
    expect(await digestOf(2)).not.toBe(first);
  });
});

it.each(Object.entries(brokenBuilds))('breaks the source as it is now: %s', (_, edits) => {
  const source = join(import.meta.dirname, '../../../src');
  for (const edit of edits) expect(() => edited(readFileSync(join(source, edit.file), 'utf8'), edit)).not.toThrow();
});

it.each([10, 11, 12, 13])('the promise is kept in the episode with seed %i', async (seed) => {
  const { problem, changes, telling } = await run({ seed, step: 1, seconds: null, historyFile: null });
  expect(problem).toBeNull();
  expect(changes).toBeGreaterThanOrEqual(300);
  expect(telling).toBeGreaterThan(50);
});

it.each([
  'a round serves requests that arrived after its start',
  'changes are answered before the leases end',
  'the revision is not part of the transaction',
  'a change is written after its management key was revoked',
  'a change without a transaction is answered before the leases end',
  'a fence is answered before the leases end',
  'an edge keeps its rows when a fence is put up',
  'the management key of a change is read before the lock',
])('finds a broken build: %s', async (name) => {
  const { code, output } = await simulate('--seed', '1', '--seconds', '60', '--broken', name);
  expect(output).toContain('the promise was broken');
  expect(code).toBe(1);
});

async function simulate(...options: readonly string[]): Promise<{ code: unknown; output: string }> {
  const main = join(import.meta.dirname, 'main.ts');
  return await new Promise((resolve) => {
    execFile(process.execPath, [main, ...options], (error, output) => resolve({ code: error?.code ?? 0, output }));
  });
}
