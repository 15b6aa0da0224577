import { randomUUID } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.ts';
import { type ApiKey, initialState, type KeyEnv, type StoredKey } from '../../domain/key/api-key.ts';
import {
  fingerprintOf,
  type IdempotentCreate,
  idempotencyId,
  idempotencyRetentionMs,
  parseIdempotencyKey,
} from '../../domain/key/idempotency.ts';
import { type KeySettings, type KeySettingsInput, parseNewSettings } from '../../domain/key/settings.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { auditEntry, authorizeTeam, type Caller, type Management } from '../management.ts';
import { withNewSigningSecret } from './signing.ts';

export interface CreateKeyInput extends KeySettingsInput {
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  /** Whether requests with the key must be signed. */
  readonly signing?: boolean | null | undefined;
}

export interface CreatedKey {
  readonly apiKey: StoredKey;
  /** The full key. It is not stored. */
  readonly secret: string;
  /** 64 hexadecimal characters, if requests must be signed; else null. It is stored only encrypted. */
  readonly signingSecret: string | null;
}

/**
 * Creates a key of a team. If the caller already used the idempotency key for this team in the last 24 hours, throws
 * KEY_ALREADY_CREATED with the id of the earlier key, whose secret can't be returned again. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT, IDEMPOTENCY_KEY_REUSED, KEY_LIMIT_REACHED, RATE_LIMITED, UNAVAILABLE.
 */
export async function createKey(
  management: Management,
  caller: Caller,
  input: CreateKeyInput,
  chosenKey?: string | null,
): Promise<CreatedKey> {
  const { store, keyTag, peppers, maxKeysPerTeam, budget, randomBytes } = management;
  authorizeTeam(caller, input.teamId, 'manage_keys');
  const { idempotencyKey, ...settings } = parseFields({
    ...parseNewSettings(input, caller.now),
    idempotencyKey: parseOptional(chosenKey, parseIdempotencyKey),
  });
  await budget.check(input.teamId);
  const { secret, prefix } = mintSecret(keyTag, input.env, randomBytes);
  const unsignedKey: ApiKey = {
    ...initialState,
    ...settings,
    id: randomUUID(),
    teamId: input.teamId,
    env: input.env,
    prefix,
    digest: digestSecret(secret, peppers.current),
    pepperId: peppers.current.id,
    createdAt: caller.now,
  };
  const { apiKey, signingSecret } =
    input.signing === true
      ? withNewSigningSecret(management, unsignedKey)
      : { apiKey: unsignedKey, signingSecret: null };
  const idempotentCreate =
    idempotencyKey === null ? undefined : idempotentCreateOf(caller, apiKey, settings, idempotencyKey);
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
      return { answer: { apiKey: { ...apiKey, revision }, secret, signingSecret }, write };
    },
  });
}

function idempotentCreateOf(
  { session, now }: Caller,
  apiKey: ApiKey,
  settings: KeySettings,
  idempotencyKey: string,
): IdempotentCreate {
  return {
    id: idempotencyId(apiKey.teamId, session.subject, idempotencyKey),
    fingerprint: fingerprintOf(apiKey.env, settings, apiKey.signingEnvelope !== null),
    keyId: apiKey.id,
    expiresAt: new Date(now.getTime() + idempotencyRetentionMs),
  };
}

/** Throws for a repeated call. A normal result without the secret would break programs that expect the secret. */
function rejectRepeat({ keyId, fingerprint }: IdempotentCreate, repeat: IdempotentCreate | undefined): never {
  if (fingerprint !== repeat?.fingerprint) {
    const message = 'The idempotency key was used for another request. Use a new one for each key.';
    throw new LatchkeyError('IDEMPOTENCY_KEY_REUSED', message);
  }
  throw new LatchkeyError(
    'KEY_ALREADY_CREATED',
    `An earlier call with this idempotency key created the key ${keyId} and returned its secret, which can't be returned again. ` +
      'If that response was lost, revoke the key and create another with a new idempotency key.',
    { keyId },
  );
}
