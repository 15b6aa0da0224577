import { createHash } from 'node:crypto';
import type pg from 'pg';

/** PostgreSQL's codes: no prepared statement has this name (26000), or another client has prepared it already (42P05). */
const lostCodes: ReadonlySet<unknown> = new Set(['26000', '42P05']);

/**
 * A statement that the server plans once for each connection. Behind a pooler that shares sessions between transactions,
 * the session may be another one the next time: from then on, the statement is sent without a name.
 */
export class PreparedStatement {
  readonly #text: string;
  readonly #name: string;
  #isLost = false;

  constructor(text: string) {
    this.#text = text;
    // The name depends on the text: in a shared session, another version can have prepared another text.
    this.#name = `latchkey-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  }

  async query<Row extends pg.QueryResultRow>(
    client: Pick<pg.ClientBase, 'query'>,
    values: readonly unknown[],
    query_timeout?: number,
  ): Promise<readonly Row[]> {
    const query = { text: this.#text, values: [...values], ...(query_timeout === undefined ? {} : { query_timeout }) };
    if (!this.#isLost) {
      try {
        return (await client.query<Row>({ ...query, name: this.#name })).rows;
      } catch (error) {
        // Nothing has run.
        if (!(error instanceof Error && 'code' in error && lostCodes.has(error.code))) throw error;
        this.#isLost = true;
      }
    }
    return (await client.query<Row>(query)).rows;
  }
}
