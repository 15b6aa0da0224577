import type { PrismaClient } from './generated/sqlite/client.ts';
import { askStore } from './unavailable.ts';

export class Usage {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  /** When each of the keys last passed a verification; a key that never did is absent. */
  async lastUsed(keyIds: readonly string[]): Promise<Map<string, Date>> {
    const rows = await askStore(() => this.#reader.keyUsage.findMany({ where: { keyId: { in: [...keyIds] } } }));
    return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  }
}
