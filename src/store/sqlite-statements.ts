/**
 * Prepares each statement of a connection to SQLite once. Prisma's adapter would prepare it for every query, which takes a
 * third of the time that a group of changes needs in SQLite. Statements must name the columns of tables: SQLite itself
 * prepares a statement again when a newer version of Latchkey has changed its tables, and `SELECT *` would then have
 * other columns than were read before.
 */
import { Sql, sqltag } from '@prisma/client/runtime/client';
import type Sqlite from 'better-sqlite3';
import { LruMap } from '../lib/lru-map.ts';
import { storedDate } from './json-rows.ts';

/** Of the texts of the statements. Lists of ids have a statement for each length, of up to 10 kB. */
const maxBytes = 512 * 1024;
/** More than fit. */
const maxStatements = maxBytes;

export class SqliteStatements {
  readonly #prepare: (sql: string) => Sqlite.Statement<unknown[]>;
  readonly #statements: LruMap<PreparedStatement>;
  #bytes = 0;

  /** Replaces the connection's `prepare`, which Prisma's adapter calls for every query. */
  constructor(client: Pick<Sqlite.Database, 'prepare'>) {
    const prepare = client.prepare.bind(client);
    this.#prepare = (sql) => prepare<unknown[]>(sql);
    this.#statements = new LruMap(maxStatements, (sql) => {
      this.#bytes -= sql.length;
    });
    Object.assign(client, { prepare: (sql: string) => this.#of(sql) });
  }

  /** Reads rows as Prisma's `$queryRaw` does, but without Prisma's conversions of each value, which take longer than SQLite. */
  read(statement: Sql): unknown[] {
    return this.#of(statement.sql).rows(statement.values.map(parameter));
  }

  #of(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = new PreparedStatement(this.#prepare(sql));
    this.#statements.set(sql, statement);
    this.#bytes += sql.length;
    while (this.#bytes > maxBytes && this.#statements.size > 1) this.#statements.evict();
    return statement;
  }
}

/** A statement, as Prisma's adapter uses it, and with rows as objects. */
class PreparedStatement {
  readonly #statement: Sqlite.Statement<unknown[]>;
  #parameters: unknown[] = [];
  #conversions: readonly Conversion[] | null = null;

  constructor(statement: Sqlite.Statement<unknown[]>) {
    this.#statement = statement;
  }

  get reader(): boolean {
    return this.#statement.reader;
  }

  /**
   * The driver binds parameters to a statement only once, so they are kept here until the statement runs, which the
   * adapter does in the same synchronous step.
   */
  bind(parameters: unknown[]): this {
    this.#parameters = parameters;
    return this;
  }

  /** The adapter reads all rows as arrays. */
  raw(): this {
    return this;
  }

  columns(): Sqlite.ColumnDefinition[] {
    return this.#statement.columns();
  }

  all(): unknown[] {
    return this.#statement.raw(true).all(...this.#taken());
  }

  run(): Sqlite.RunResult {
    return this.#statement.run(...this.#taken());
  }

  rows(parameters: readonly unknown[]): unknown[] {
    const rows = this.#statement.raw(false).all(...parameters) as Record<string, unknown>[];
    this.#conversions ??= conversionsOf(this.#statement.columns());
    for (const row of rows) {
      for (const { name, convert } of this.#conversions) {
        const value = row[name];
        if (value !== null) row[name] = convert(value);
      }
    }
    return rows;
  }

  #taken(): unknown[] {
    const parameters = this.#parameters;
    this.#parameters = [];
    return parameters;
  }
}

interface Conversion {
  readonly name: string;
  readonly convert: (value: unknown) => unknown;
}

/** How Prisma stores the types of columns. Other values, and those of expressions, are returned as SQLite has them. */
const conversions: Readonly<Record<string, Conversion['convert']>> = {
  DATETIME: (value) => new Date(String(value)),
  JSONB: (value) => JSON.parse(String(value)),
  INTEGER: Number,
  BOOLEAN: Boolean,
};

function conversionsOf(columns: readonly Sqlite.ColumnDefinition[]): Conversion[] {
  return columns.flatMap(({ name, type }) => {
    const convert = type === null ? undefined : conversions[type.toUpperCase()];
    return convert === undefined ? [] : [{ name, convert }];
  });
}

function parameter(value: unknown): unknown {
  if (value instanceof Date) return storedDate(value);
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Returns a client whose raw reads skip Prisma. */
export function readingDirectly<Client extends object>(client: Client, statements: () => SqliteStatements): Client {
  const queryRaw = async (first: TemplateStringsArray | Sql, ...values: unknown[]) =>
    statements().read(first instanceof Sql ? first : sqltag(first, ...values));
  return Object.create(client, { $queryRaw: { value: queryRaw } });
}
