import type { IdempotentCreate } from '../../domain/key/idempotency.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** The records of creates with an idempotency key. The change that creates a key writes its record. */
export class IdempotentCreates {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  /** Returns the record, expired or not. */
  async find(id: string): Promise<IdempotentCreate | null> {
    const [found] = await queryStore(() => this.#reader.idempotentCreate.findMany({ where: { id: { in: [id] } } }));
    return found ?? null;
  }
}
