import type { StoredKey } from '../../domain/key/api-key.ts';
import { releasedDigest } from '../../domain/secret/imported-digest.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { keyFromRow } from '../rows/key-rows.ts';
import { queryStore } from '../unavailable.ts';
import { conflictTable } from './bulk-rows.ts';
import type { ChangeQueue } from './change-queue.ts';

/** Imported keys of two teams that match the same secret. */
export interface RecordedConflict {
  readonly keys: readonly [StoredKey, StoredKey];
}

interface Pair {
  readonly keyId: string;
  readonly otherKeyId: string;
}

/** The maximum number of listed conflicts. Further conflicts are listed after the operator has resolved listed ones. */
const maxListed = 1000;

const turn = { holder: 'conflicts of keys' };

/** Conflicts that verification found, because only verification sees the secret that matches two digests. */
export class KeyConflicts {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async list(): Promise<RecordedConflict[]> {
    const released = `${releasedDigest('')}%`;
    const pairs = await queryStore(
      () => this.#reader.$queryRaw<Pair[]>`
        SELECT c."keyId", c."otherKeyId" FROM "KeyConflict" c
        JOIN "ApiKey" k ON k."id" = c."keyId" AND k."digest" NOT LIKE ${released}
        JOIN "ApiKey" o ON o."id" = c."otherKeyId" AND o."digest" NOT LIKE ${released}
        ORDER BY c."seenAt" DESC LIMIT ${maxListed}`,
    );
    const ids = [...new Set(pairs.flatMap(({ keyId, otherKeyId }) => [keyId, otherKeyId]))];
    const rows = await queryStore(() => this.#reader.apiKey.findMany({ where: { id: { in: ids } } }));
    const byId = new Map(rows.map((row) => [row.id, keyFromRow(row)]));
    return pairs.flatMap(({ keyId, otherKeyId }) => {
      const [key, other] = [byId.get(keyId), byId.get(otherKeyId)];
      return key === undefined || other === undefined ? [] : [{ keys: [key, other] } as const];
    });
  }

  /** Records a conflict between the first key and each of the others. */
  async record([keyId, ...others]: readonly string[], seenAt: Date): Promise<void> {
    if (keyId === undefined) return;
    const rows = others.map((otherKeyId) => ({ keyId, otherKeyId, seenAt }));
    await this.#changes.perform((_, bulk) => bulk.insert(conflictTable, rows), turn);
  }
}
