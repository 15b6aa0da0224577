import { hasSecretShape, isPresentable, prefixOfSecret } from '../domain/secret.ts';
import { digestsOf } from '../domain/secret-digest.ts';
import type { Caller } from './caller.ts';
import type { Management } from './management.ts';
import { revoked } from './revoke-key.ts';

/** What is known of whoever presents a key to have it revoked. */
export type Holder = Omit<Caller, 'session' | 'actorKind'>;

/**
 * Revokes a key for whoever presents its secret: who can end a key by it could do worse with it. So neither the key's
 * sources nor a signature nor its expiry are looked at; a leaked key is found where it was never meant to be. Presenting
 * a revoked key changes nothing. Answers whether there is such a key.
 * Throws UNAVAILABLE.
 */
export async function revokeOwnKey({ store, peppers }: Management, secret: string, holder: Holder): Promise<boolean> {
  if (hasSecretShape(secret) ? prefixOfSecret(secret) === null : !isPresentable(secret)) return false;
  const found = await store.keys.findByDigest(digestsOf(secret, peppers));
  if (found === null) return false;
  const { id: keyId } = found;
  const session = { subject: `key:${keyId}`, teams: new Map() };
  const caller: Caller = { ...holder, session, actorKind: 'KEY_HOLDER' };
  // Also where it is revoked already: whoever revoked it may not have been answered yet, and until then an instance may
  // still say yes.
  await store.changes.submit({
    kind: 'existing',
    keyId,
    decide: (key, revision) => (key === null ? { answer: null } : revoked(caller, key, revision)),
  });
  return true;
}
