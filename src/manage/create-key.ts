import { randomUUID } from 'node:crypto';
import type { ApiKey, KeyEnv, StoredKey } from '../domain/api-key.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { parseExpiry } from '../domain/expiry.ts';
import {
  fingerprintOf,
  type IdempotentCreate,
  idempotencyId,
  idempotencyRetentionMs,
  parseIdempotencyKey,
} from '../domain/idempotency.ts';
import { parseFields, parseOptional } from '../domain/parse-fields.ts';
import { mintSecret } from '../domain/secret.ts';
import { digestSecret } from '../domain/secret-digest.ts';
import { auditEntry, authorizeTeam, type Caller } from './caller.ts';
import { parseName } from './fields.ts';
import type { Management } from './management.ts';

export interface CreateKeyInput {
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  readonly expiresAt?: Date | null | undefined;
}

export interface CreatedKey {
  readonly apiKey: StoredKey;
  /** The full key. It is not stored. */
  readonly secret: string;
}

/**
 * Creates a key of a team. If this caller used the same idempotency key for this team within the last 24 hours, throws
 * KEY_ALREADY_CREATED with the id of that key. Its secret can't be returned again. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT (name, expiresAt, idempotencyKey), KEY_ALREADY_CREATED, IDEMPOTENCY_KEY_REUSED,
 * KEY_LIMIT_REACHED, RATE_LIMITED, UNAVAILABLE.
 */
export async function createKey(
  management: Management,
  caller: Caller,
  input: CreateKeyInput,
  chosenKey?: string | null,
): Promise<CreatedKey> {
  const { store, keyTag, peppers, maxKeysPerTeam, budget, randomBytes } = management;
  authorizeTeam(caller, input.teamId, 'manage_keys');
  const { name, expiresAt, idempotencyKey } = parse(input, chosenKey, caller.now);
  await budget.check(input.teamId);
  const { secret, prefix } = mintSecret(keyTag, input.env, randomBytes);
  const apiKey: ApiKey = {
    id: randomUUID(),
    teamId: input.teamId,
    name,
    env: input.env,
    prefix,
    digest: digestSecret(secret, peppers.current),
    pepperId: peppers.current.id,
    allowedIps: [],
    expiresAt,
    createdAt: caller.now,
    revokedAt: null,
    signingEnvelope: null,
    signingVersion: 0,
    importRevision: null,
  };
  const idempotentCreate = idempotencyKey === null ? undefined : idempotentCreateOf(caller, apiKey, idempotencyKey);
  const audit = auditEntry(caller, 'KEY_CREATED', null, apiKey);
  return await store.changes.submit({
    kind: 'create',
    teamId: input.teamId,
    idempotencyId: idempotentCreate?.id,
    decide: (unrevokedKeys, revision, earlier) => {
      if (earlier !== null && earlier.expiresAt > caller.now) rejectRepeat(earlier, idempotentCreate);
      if (unrevokedKeys >= maxKeysPerTeam) {
        throw new LatchkeyError(
          'KEY_LIMIT_REACHED',
          `The team has ${unrevokedKeys} keys, and the limit is ${maxKeysPerTeam}. Revoke keys first.`,
        );
      }
      const write = { key: apiKey, audit, idempotentCreate };
      budget.count(write);
      return { answer: { apiKey: { ...apiKey, revision }, secret }, write };
    },
  });
}

function parse({ name, expiresAt }: CreateKeyInput, chosenKey: string | null | undefined, now: Date) {
  return parseFields({
    name: parseName(name),
    expiresAt: parseOptional(expiresAt, (moment) => parseExpiry(moment, now)),
    idempotencyKey: parseOptional(chosenKey, parseIdempotencyKey),
  });
}

function idempotentCreateOf({ session, now }: Caller, apiKey: ApiKey, idempotencyKey: string): IdempotentCreate {
  return {
    id: idempotencyId(apiKey.teamId, session.subject, idempotencyKey),
    fingerprint: fingerprintOf(apiKey),
    keyId: apiKey.id,
    expiresAt: new Date(now.getTime() + idempotencyRetentionMs),
  };
}

/** Throws for a repeated call. A normal result without the secret would break programs that expect it. */
function rejectRepeat(earlier: IdempotentCreate, repeat: IdempotentCreate | undefined): never {
  const { keyId } = earlier;
  if (earlier.fingerprint !== repeat?.fingerprint) {
    throw new LatchkeyError(
      'IDEMPOTENCY_KEY_REUSED',
      'The idempotency key was used for another request. Use a new one for each key.',
    );
  }
  throw new LatchkeyError(
    'KEY_ALREADY_CREATED',
    `An earlier call with this idempotency key created the key ${keyId} and returned its secret, which can't be returned again. ` +
      'If that response was lost, revoke the key and create another with a new idempotency key.',
    { keyId },
  );
}
