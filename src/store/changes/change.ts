/** A change of a key, as a use case submits it: which state it needs, and how it decides on that state. */
import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import type { IdempotentCreate } from '../../domain/key/idempotency.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';

export interface Write {
  readonly key: ApiKey;
  /** Absent only for a rewrap, which encrypts the same secret with another key. */
  readonly audit?: Omit<AuditEntry, 'revision'>;
  readonly rotated?: RotatedSecret;
  /** The record that a retry of this create will find. */
  readonly idempotentCreate?: IdempotentCreate | undefined;
}

export interface Decision<Answer> {
  readonly answer: Answer;
  readonly write?: Write;
}

/** `decide` gets the state, and the revision that a write would get. If it throws, only this change is rejected. */
export type Change<Answer> =
  | {
      readonly kind: 'create';
      readonly teamId: string;
      /** The id of the record that an earlier call with the same idempotency key may have stored. */
      readonly idempotencyId?: string | undefined;
      /** `earlier`: the record with the idempotency id, expired or not. */
      readonly decide: (unrevokedKeys: number, revision: bigint, earlier: IdempotentCreate | null) => Decision<Answer>;
    }
  | {
      readonly kind: 'import';
      readonly teamId: string;
      /** One per pepper: the same key may have been imported under an older pepper. */
      readonly digests: readonly string[];
      /** `existing`: the key, of any team, that has or had one of the digests. */
      readonly decide: (unrevokedKeys: number, revision: bigint, existing: StoredKey | null) => Decision<Answer>;
    }
  | {
      readonly kind: 'existing';
      readonly keyId: string;
      /** The key's team, the operator or an address. Changes with the same queue key share a place in the queue. */
      readonly queueKey: string;
      readonly decide: (key: StoredKey | null, revision: bigint) => Decision<Answer>;
    };
