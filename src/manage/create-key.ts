import { randomUUID } from 'node:crypto';
import type { ApiKey, KeyEnv, StoredKey } from '../domain/api-key.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { mintSecret } from '../domain/secret.ts';
import { digestSecret } from '../domain/secret-digest.ts';
import { authoriseTeam, type Caller } from './caller.ts';
import { write } from './change-key.ts';
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
 * Creates a key of a team. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT (name, expiresAt), KEY_LIMIT_REACHED, UNAVAILABLE.
 */
export async function createKey(management: Management, caller: Caller, input: CreateKeyInput): Promise<CreatedKey> {
  const { store, keyTag, peppers, maxKeysPerTeam, randomBytes } = management;
  authoriseTeam(caller, input.teamId, 'manage_keys');
  const { name, expiresAt } = parse(input, caller.now);
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
  };
  return await store.changes.submit({
    kind: 'create',
    teamId: input.teamId,
    decide: (unrevokedKeys, revision) => {
      if (unrevokedKeys >= maxKeysPerTeam) {
        throw new LatchkeyError(
          'KEY_LIMIT_REACHED',
          `The team has ${unrevokedKeys} keys, and ${maxKeysPerTeam} is the limit. Revoke some first.`,
        );
      }
      return write(caller, 'KEY_CREATED', null, apiKey, { apiKey: { ...apiKey, revision }, secret });
    },
  });
}

function parse(input: CreateKeyInput, now: Date) {
  const fields = new Fields();
  const name = fields.name(input.name);
  const expiresAt = fields.expiry(input.expiresAt ?? null, now);
  return fields.done({ name, expiresAt });
}
