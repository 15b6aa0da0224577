/** A short `npm run chaos -- durability --power-loss`: of the files of SQLite, only what was synced outlives the service. */
import { expect, it } from 'vitest';
import { sqliteDatabase } from '../../support/temporary-database.ts';
import { durability, type Report } from './run.ts';
import { noVolatileDisk, volatileDisk } from './volatile-disk.ts';

if (noVolatileDisk !== null)
  console.warn(`test/chaos/durability/power-loss.slow.test.ts is skipped: ${noVolatileDisk}`);
const test = it.skipIf(noVolatileDisk !== null);
const firstSeed = Date.now() % 1_000_000;

/** Runs rounds until one had enough changes: on a busy machine, the power can be lost after very few. */
async function losePower(forgets = ''): Promise<Report & { readonly seed: number }> {
  for (let seed = firstSeed; ; seed += 1) {
    const report = await durability({
      rounds: 1,
      kinds: ['power loss'],
      seed,
      clients: 12,
      newDatabase: sqliteDatabase,
      postgres: null,
      disk: (directory) => volatileDisk(directory, forgets),
    });
    if (report.acknowledged >= 20) return { ...report, seed };
  }
}

test('every change that was acknowledged before a power loss is there after it', async () => {
  const { seed, violations, rounds } = await losePower();
  expect(violations, `seed ${seed}`).toEqual([]);
  expect(rounds).toBe(1);
});

// As PRAGMA synchronous = NORMAL would be: the log is written at each commit, and not synced.
test('the same run finds lost changes if syncing the log of SQLite does nothing', async () => {
  const { seed, violations } = await losePower('.db-wal');
  expect(violations.join('\n'), `seed ${seed}`).toMatch(/acknowledged, and not there|audit entries were lost/);
});
