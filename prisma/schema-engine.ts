/** Prisma's schema engine as WebAssembly. The engine of the CLI is a binary that an offline machine can't download. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';

export type Database = { readonly provider: 'sqlite' } | { readonly provider: 'postgresql'; readonly url: string };

interface WasmExports {
  readonly __wbindgen_start?: () => void;
}

/**
 * Returns the SQL that migrates one data model to another; null if they are equal. The engine queries the version of a
 * database, and reads and writes nothing else there.
 */
export async function diffSchemas(database: Database, before: string | null, after: string): Promise<string | null> {
  const engine = await startEngine(database, after);
  try {
    const target = (content: string) => ({
      tag: 'schemaDatamodel' as const,
      files: [{ path: 'schema.prisma', content }],
    });
    const { stdout } = await engine.diff({
      from: before === null ? { tag: 'empty' } : target(before),
      to: target(after),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout == null || stdout.includes('This is an empty migration') ? null : stdout;
  } finally {
    engine.free();
  }
}

let loaded: Promise<void> | undefined;

/** Loads the module once: the glue code holds one instance, and a second one would replace the memory of the first. */
async function loadModule(): Promise<void> {
  const require = createRequire(import.meta.url);
  const wasm = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
  const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {
    './schema_engine_bg.js': glue,
  });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports as WasmExports).__wbindgen_start?.();
}

async function startEngine(database: Database, schema: string): Promise<glue.SchemaEngine> {
  loaded ??= loadModule();
  await loaded;
  const adapter =
    database.provider === 'sqlite'
      ? new PrismaBetterSqlite3({ url: 'file::memory:' })
      : new PrismaPg({ connectionString: database.url });
  return await glue.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
}
