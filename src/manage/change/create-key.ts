import { randomUUID } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.ts';
import { type ApiKey, initialState, type StoredKey } from '../../domain/key/api-key.ts';
import {
  fingerprintsOf,
  type IdempotentCreate,
  idempotencyId,
  idempotencyRetentionMs,
  isSameRequest,
  parseIdempotencyKey,
  type RequestedKey,
} from '../../domain/key/idempotency.ts';
import { parseNewSettings } from '../../domain/key/settings.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { noDefaults, withDefaults } from '../../domain/policy/key-defaults.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { type BeforeCreation, creationIn } from '../../store/changes/key-state.ts';
import { olderInstances } from '../fences/freeze-keys.ts';
import { auditEntry, authorizeTeam, type Caller, type Management, responsibleFor } from '../management.ts';
import { policed } from '../policy/policed.ts';
import { withNewSigningSecret } from './signing.ts';

export interface CreateKeyInput extends RequestedKey {
  readonly teamId: string;
  readonly name: string;
}

export interface CreatedKey {
  readonly apiKey: StoredKey;
  /** The full key. It is not stored. */
  readonly secret: string;
  /** 64 hexadecimal characters, if requests must be signed; else null. It is stored only encrypted. */
  readonly signingSecret: string | null;
}

/**
 * Creates a key of a team, with the defaults of its policy for what the input leaves out. If the caller already used the
 * idempotency key for this team in the last 24 hours, throws KEY_ALREADY_CREATED with the id of the earlier key, whose
 * secret can't be returned again. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT, POLICY_VIOLATED, IDEMPOTENCY_KEY_REUSED, KEY_LIMIT_REACHED, OLDER_INSTANCES
 * (tripwire), RATE_LIMITED, UNAVAILABLE.
 */
export async function createKey(
  management: Management,
  caller: Caller,
  input: CreateKeyInput,
  chosenKey?: string | null,
): Promise<CreatedKey> {
  const { store, keyTag, peppers, budget, randomBytes } = management;
  authorizeTeam(caller, input.teamId, 'manage_keys');
  const parsedKey = parseOptional(chosenKey, parseIdempotencyKey);
  const record = parsedKey.ok && parsedKey.value !== null ? recordOf(caller, input, parsedKey.value) : undefined;
  // Before everything that may have changed since the first call: rules, the time, the number of keys, the budget.
  if (record !== undefined) await rejectIfRepeated(management, caller, input, record.id);
  const { idempotencyKey: _, ...settings } = parseFields({
    ...parseNewSettings(input, caller.now),
    idempotencyKey: parsedKey,
  });
  const tripwire = input.tripwire === true;
  if (tripwire && !(await store.fences.isConfirmed())) throw olderInstances('tripwires');
  budget.check(input.teamId);
  const { secret, prefix } = mintSecret(keyTag, input.env, randomBytes);
  const unsignedKey: ApiKey = {
    ...initialState,
    ...settings,
    responsible: responsibleFor(input, caller, settings.responsible),
    id: randomUUID(),
    teamId: input.teamId,
    env: input.env,
    prefix,
    digest: digestSecret(secret, peppers.current),
    pepperId: peppers.current.id,
    createdAt: caller.now,
    tripwire,
  };
  const { apiKey, signingSecret } =
    input.signing === true
      ? withNewSigningSecret(management, unsignedKey)
      : { apiKey: unsignedKey, signingSecret: null };
  const change: Change<CreatedKey, BeforeCreation> = {
    queueKey: input.teamId,
    caller,
    load: creationIn(input.teamId, record?.id),
    decide: ({ unrevokedKeys, earlier, policies }, revision) => {
      if (record !== undefined) rejectRepeat(caller, input, earlier);
      rejectAboveLimit(management, unrevokedKeys);
      const idempotentCreate = record && { ...record, keyId: apiKey.id };
      const key = withDefaults(apiKey, input, policies?.[input.env]?.defaults ?? noDefaults);
      const answer = { apiKey: { ...key, revision }, secret, signingSecret };
      const entries = [auditEntry(caller, 'KEY_CREATED', null, key)];
      return new Decision(answer, { key, isNew: true, entries, idempotentCreate });
    },
  };
  return await store.changes.submit(budget.counted(policed(management, caller, input.teamId, change)));
}

export function rejectAboveLimit({ maxKeysPerTeam }: Management, unrevokedKeys: number): void {
  if (unrevokedKeys < maxKeysPerTeam) return;
  const message = `The team has ${unrevokedKeys} keys, and the limit is ${maxKeysPerTeam}. Revoke keys first.`;
  throw new LatchkeyError('KEY_LIMIT_REACHED', message);
}

type NewRecord = Omit<IdempotentCreate, 'keyId'>;

function recordOf({ session, now }: Caller, input: CreateKeyInput, idempotencyKey: string): NewRecord {
  return {
    id: idempotencyId(input.teamId, session.subject, idempotencyKey),
    ...fingerprintsOf(input),
    expiresAt: new Date(now.getTime() + idempotencyRetentionMs),
  };
}

async function rejectIfRepeated({ store }: Management, caller: Caller, input: CreateKeyInput, id: string) {
  const earlier = await store.idempotentCreates.find(id);
  if (earlier !== null) await store.changes.waitForLease();
  rejectRepeat(caller, input, earlier);
}

/** Throws for a repeated call. A normal result without the secret would break programs that expect the secret. */
function rejectRepeat({ now }: Caller, input: CreateKeyInput, earlier: IdempotentCreate | null): void {
  if (earlier === null || earlier.expiresAt <= now) return;
  if (!isSameRequest(earlier, input)) {
    const message = 'The idempotency key was used for another request. Use a new one for each key.';
    throw new LatchkeyError('IDEMPOTENCY_KEY_REUSED', message);
  }
  const { keyId } = earlier;
  throw new LatchkeyError(
    'KEY_ALREADY_CREATED',
    `An earlier call with this idempotency key created the key ${keyId} and returned its secret, which can't be returned again. ` +
      'If that response was lost, revoke the key and create another with a new idempotency key.',
    { keyId },
  );
}
