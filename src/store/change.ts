/** A change of a key as a use case hands it over: what it needs to know of the store, and the decision on that. */
import type { ApiKey, StoredKey } from '../domain/api-key.ts';
import type { AuditEntry } from '../domain/audit-entry.ts';
import type { IdempotentCreate } from '../domain/idempotency.ts';

export interface Write {
  /** The key as it shall be, new or changed. */
  readonly key: ApiKey;
  /** Absent only where nothing changes that anybody decided on: the same secret under another lock. */
  readonly audit?: Omit<AuditEntry, 'revision'>;
  /** What a repeat of this create shall find. */
  readonly idempotentCreate?: IdempotentCreate | undefined;
}

export interface Decision<Answer> {
  readonly answer: Answer;
  /** Absent when there is nothing to change. */
  readonly write?: Write;
}

/**
 * Decides from the state of the store; `revision` is the one that the change has if it writes. A thrown refusal concerns
 * this change alone; nothing is written for it.
 */
export type Change<Answer> =
  | {
      readonly kind: 'create';
      readonly teamId: string;
      /** Of the `idempotentCreate` that an earlier call with the same idempotency key has left. */
      readonly idempotencyId?: string | undefined;
      /**
       * `unrevokedKeys`: how many keys the team has that are not revoked. `earlier`: what was found under the
       * idempotency id, expired or not.
       */
      readonly decide: (unrevokedKeys: number, revision: bigint, earlier: IdempotentCreate | null) => Decision<Answer>;
    }
  | {
      readonly kind: 'import';
      readonly teamId: string;
      /** Under every pepper: the team may have imported the same key under an older one. */
      readonly digests: readonly string[];
      readonly prefix: string;
      readonly decide: (unrevokedKeys: number, revision: bigint, taken: Taken) => Decision<Answer>;
    }
  | {
      readonly kind: 'existing';
      readonly keyId: string;
      readonly decide: (key: StoredKey | null, revision: bigint) => Decision<Answer>;
    };

/** What the team has already of what an imported key is to have. */
export interface Taken {
  readonly digest: StoredKey | null;
  readonly prefix: StoredKey | null;
}
