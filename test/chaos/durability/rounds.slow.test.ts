/** A short `npm run chaos -- durability`; its long form also kills PostgreSQL itself. */
import { expect, inject, it } from 'vitest';
import { postgresDatabase, sqliteDatabase } from '../../support/temporary-database.ts';
import type { KillKind } from './kills.ts';
import { durability } from './run.ts';

const seed = Date.now() % 1_000_000;
const newDatabase = { sqlite: sqliteDatabase, postgresql: () => postgresDatabase(inject('postgresUrl')) };
const kinds: Record<keyof typeof newDatabase, readonly KillKind[]> = {
  sqlite: ['service', 'with two verification processes', 'on an empty database'],
  postgresql: ['service', 'during start-up'],
};

it.each(['sqlite', 'postgresql'] as const)(
  'on %s, what was acknowledged before a kill is there after it, and the rest is there whole or not at all',
  async (store) => {
    const report = await durability({
      rounds: kinds[store].length,
      kinds: kinds[store],
      seed,
      clients: 12,
      newDatabase: newDatabase[store],
      postgres: null,
    });
    expect(report.violations, `seed ${seed}`).toEqual([]);
    expect(report.rounds).toBe(kinds[store].length);
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report.happened + report.didNotHappen).toBeGreaterThan(0);
  },
);
