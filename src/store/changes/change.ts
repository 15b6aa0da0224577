/**
 * A change of what is stored, as a use case submits it: what it has to know, and how it decides on that. Its decision is
 * written in the transaction that read the state, with its entries of the log.
 *
 * Everything is read under the lock, or compared under it with what was read before (known-key.ts). For a group of
 * creations, reading before the lock would save little: it takes 6 % of the transaction on SQLite and 15 % on PostgreSQL,
 * and the count of a team's keys would have to be read again.
 */
import type { Credential } from '../../domain/access/credential.ts';
import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import type { IdempotentCreate } from '../../domain/key/idempotency.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import type { BulkRows } from './bulk-rows.ts';
import type { KnownExposures } from './known-exposures.ts';

/** Who makes a change. */
export interface ChangeCaller {
  /** With what the caller authenticated. If it is not accepted anymore, the change is rejected. */
  readonly credential: Credential | null;
  /** Called before the answer, with the revision of the state that it is on. */
  readonly changed?: (revision: bigint) => void;
}

export interface Change<Answer, State = unknown> {
  /** A team, a caller, or a part of the service. Queue keys take turns, and each has its share of a group. */
  readonly queueKey: string;
  /** Absent for the service itself. */
  readonly caller?: ChangeCaller | undefined;
  readonly load: Load<State>;
  /**
   * Decides on the state. `revision` is the one that a write would get. If this throws, only this change is rejected. May
   * run twice, because a transaction can be repeated.
   */
  decide(state: State, revision: bigint): Decision<Answer>;
}

/**
 * How a change gets its state, under the lock that all changes take first, so that nothing changes until the decision is
 * written. Changes of keys share what they need with the other changes of their group. Others read for themselves, and get
 * a transaction of their own.
 */
export type Load<State> =
  | {
      readonly needs: NeededKeys;
      readonly pick: (keys: LoadedKeys) => State;
      /**
       * The key that the change is about, as its use case has read it. Then the change may be written without a transaction
       * if the key is still the same (known-key.ts): so `decide` must write nothing random, and need nothing else.
       */
      readonly known?: StoredKey;
    }
  | { readonly read: (client: Prisma.TransactionClient) => Promise<State> };

export interface NeededKeys {
  readonly ids?: readonly string[];
  /** The teams whose unrevoked keys are counted. */
  readonly counts?: readonly string[];
  readonly idempotencyIds?: readonly string[];
  /** Digests of keys to be imported. */
  readonly digests?: readonly string[];
  /** The ids of exposures of the keys `ids`. */
  readonly exposures?: readonly string[];
  /** The teams whose policies are read. */
  readonly policies?: readonly string[];
  /** What `externalName` returns for the unrevoked keys that are read. */
  readonly externalNames?: readonly string[];
}

export interface LoadedKeys {
  readonly keys: Map<string, StoredKey>;
  /** The number of unrevoked keys per team. */
  readonly counts: Map<string, number>;
  readonly idempotentCreates: Map<string, IdempotentCreate>;
  /** The keys, of any team, that have or had the digest of a key to be imported. */
  readonly byDigest: Map<string, StoredKey>;
  readonly exposures: KnownExposures;
  readonly policies: ReadonlyMap<string, TeamPolicies>;
  /** The unrevoked keys of a team and environment with an external id, by `externalName`. */
  readonly byExternalName: Map<string, StoredKey[]>;
}

/**
 * What a change answers and writes. A class, because an object may have more members than its type: a decision with its
 * entries in the wrong place would compile, and its events would be lost.
 */
export class Decision<Answer> {
  readonly answer: Answer;
  readonly #write: Write | undefined;

  /** @param write absent if everything stays as it is */
  constructor(answer: Answer, write?: Write) {
    this.answer = answer;
    this.#write = write;
  }

  get write(): Write | undefined {
    return this.#write;
  }
}

/** An entry that has no place in the log yet. */
export type NewEntry = Omit<AuditEntry, 'revision'>;

/** Writes rows in the transaction of a change. Only the files in `rows` make them, beside the reads of the same table. */
export type RowWrite = (bulk: BulkRows) => Promise<unknown>;

export interface Write {
  /** Gets the revision of the last entry. */
  readonly key?: ApiKey;
  /** Whether the key is inserted. Default: it is updated. */
  readonly isNew?: boolean;
  /** The secret that the key no longer has. */
  readonly rotated?: RotatedSecret;
  /** The record that a retry of this create will find. */
  readonly idempotentCreate?: IdempotentCreate | undefined;
  readonly exposures?: readonly RecordedExposure[];
  /** Appended to the log, from the revision on that the decision got. None for a rewrap: the secret stays the same. */
  readonly entries?: readonly NewEntry[];
  /** Whether verdicts depend on `rows`, so that the answer waits for leases. With a key, it always does. */
  readonly concernsVerdicts?: true;
  /** Written first: in all transactions, deliveries are locked before their endpoint. */
  readonly rows?: readonly RowWrite[];
}

/** A place where a secret of a key leaked. */
export interface RecordedExposure {
  readonly id: string;
  readonly keyId: string;
  readonly at: Date;
  /** Of the leaked secret. */
  readonly version: number;
  readonly source: string | null;
  readonly url: string | null;
  readonly reporter: string;
}
