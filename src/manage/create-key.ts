import { randomUUID } from 'node:crypto';
import type { ApiKey, KeyEnv, StoredKey } from '../domain/api-key.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { fingerprintOf, type IdempotentCreate, idempotencyId, idempotencyRetentionMs } from '../domain/idempotency.ts';
import { mintSecret } from '../domain/secret.ts';
import { digestSecret } from '../domain/secret-digest.ts';
import { auditEntry, authorizeTeam, type Caller } from './caller.ts';
import { Fields } from './fields.ts';
import type { Management } from './management.ts';

export interface CreateKeyInput {
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  readonly expiresAt?: Date | null | undefined;
}

export interface CreatedKey {
  readonly apiKey: StoredKey;
  /** The full key. It exists only here and in the caller's hands. */
  readonly secret: string;
}

/**
 * Creates a key of a team. With an idempotency key, one that this caller used for this team within a day makes no other
 * key: the repeat is told which one there is, without its secret, which nobody has any more. Needs `manage_keys`.
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
  const { name, expiresAt, idempotencyKey } = parse(input, chosenKey ?? null, caller.now);
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
  const idempotentCreate = idempotencyKey === null ? undefined : remembered(caller, apiKey, idempotencyKey);
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
          `The team has ${unrevokedKeys} keys, and ${maxKeysPerTeam} is the limit. Revoke some first.`,
        );
      }
      const write = { key: apiKey, audit, idempotentCreate };
      budget.count(write);
      return { answer: { apiKey: { ...apiKey, revision }, secret }, write };
    },
  });
}

function parse(input: CreateKeyInput, chosenKey: string | null, now: Date) {
  const fields = new Fields();
  const name = fields.name(input.name);
  const expiresAt = fields.expiry(input.expiresAt ?? null, now);
  const idempotencyKey = fields.idempotencyKey(chosenKey);
  return fields.done({ name, expiresAt, idempotencyKey });
}

function remembered({ session, now }: Caller, apiKey: ApiKey, idempotencyKey: string): IdempotentCreate {
  return {
    id: idempotencyId(apiKey.teamId, session.subject, idempotencyKey),
    fingerprint: fingerprintOf(apiKey),
    keyId: apiKey.id,
    expiresAt: new Date(now.getTime() + idempotencyRetentionMs),
  };
}

/** No answer in which the secret is missing: a program would take it for the one that it waits for. */
function rejectRepeat(earlier: IdempotentCreate, repeat: IdempotentCreate | undefined): never {
  const { keyId } = earlier;
  if (earlier.fingerprint !== repeat?.fingerprint) {
    throw new LatchkeyError(
      'IDEMPOTENCY_KEY_REUSED',
      'The idempotency key came with another request before. Choose one for each key to be created.',
    );
  }
  throw new LatchkeyError(
    'KEY_ALREADY_CREATED',
    `An earlier call with this idempotency key made the key ${keyId} and answered its secret, which is not repeated. ` +
      'Where that answer was lost, revoke the key and create another, with another idempotency key.',
    { keyId },
  );
}
