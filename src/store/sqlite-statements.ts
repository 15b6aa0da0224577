import type Sqlite from 'better-sqlite3';

/** More than the statements that changes, reads and the purge repeat. Lists of ids have a statement for each length. */
const maxStatements = 200;
/** Longer ones are lists of ids, of which each length is a statement of its own. */
const maxLength = 8192;

/**
 * Makes a connection of Prisma's adapter prepare each statement once. The adapter prepares a statement for every query,
 * which takes a third of the time that a group of changes needs in SQLite. SQLite itself prepares a statement again when
 * the tables have changed, but the adapter reads the names of the columns before. So statements must name the columns of
 * tables, as Prisma's do: `SELECT *` would have wrong names after a migration by a newer version of Latchkey.
 */
export function prepareOnce(client: Pick<Sqlite.Database, 'prepare'>): void {
  const prepare = client.prepare.bind(client);
  const statements = new Map<string, RepeatedStatement>();
  const prepared = (sql: string): RepeatedStatement => {
    if (sql.length > maxLength) return new RepeatedStatement(prepare<unknown[]>(sql));
    const statement = statements.get(sql) ?? new RepeatedStatement(prepare<unknown[]>(sql));
    // The first entry is the one that was not used for the longest time.
    statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > maxStatements && oldest !== undefined) statements.delete(oldest);
    return statement;
  };
  Object.assign(client, { prepare: prepared });
}

/**
 * The part of a statement that the adapter uses. The driver binds parameters to a statement only once, so they are kept
 * here until the statement runs, which the adapter does in the same synchronous step.
 */
class RepeatedStatement {
  readonly #statement: Sqlite.Statement<unknown[]>;
  #parameters: unknown[] = [];

  constructor(statement: Sqlite.Statement<unknown[]>) {
    this.#statement = statement;
  }

  get reader(): boolean {
    return this.#statement.reader;
  }

  bind(parameters: unknown[]): this {
    this.#parameters = parameters;
    return this;
  }

  raw(): this {
    this.#statement.raw();
    return this;
  }

  columns(): Sqlite.ColumnDefinition[] {
    return this.#statement.columns();
  }

  all(): unknown[] {
    return this.#statement.all(...this.#taken());
  }

  run(): Sqlite.RunResult {
    return this.#statement.run(...this.#taken());
  }

  #taken(): unknown[] {
    const parameters = this.#parameters;
    this.#parameters = [];
    return parameters;
  }
}
