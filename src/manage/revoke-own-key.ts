import type { HolderCall } from '../domain/control-plane.ts';
import type { Caller } from './caller.ts';
import type { Management } from './management.ts';
import { revoked } from './revoke-key.ts';

/**
 * Revokes a key for the caller who presented its secret, as the data plane has found: who can end a key by it could do
 * worse with it. So neither the key's sources nor a signature nor its expiry are looked at; a leaked key is found where
 * it was never meant to be. Revoking it again changes nothing. Answers whether there is such a key.
 * Throws UNAVAILABLE.
 */
export async function revokeOwnKey({ store }: Management, keyId: string, call: HolderCall): Promise<boolean> {
  const session = { subject: `key:${keyId}`, teams: new Map() };
  const caller: Caller = { ...call, session, actorKind: 'KEY_HOLDER' };
  // Also where it is revoked already: that revoke may not have been answered yet, and until then an instance may still
  // accept the key.
  return await store.changes.submit({
    kind: 'existing',
    keyId,
    decide: (key, revision) => {
      if (key === null) return { answer: false };
      return { ...revoked(caller, key, revision), answer: true };
    },
  });
}
