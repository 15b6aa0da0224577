import type { HolderCall } from '../domain/control-plane.ts';
import type { Caller } from './caller.ts';
import type { Management } from './management.ts';
import { revoked } from './revoke-key.ts';

/**
 * Revokes the key that has one of these digests, for the holder who presented its secret: a holder could misuse the key,
 * so letting them end it takes nothing away. The key's sources, signature and expiry are not checked, because a leaked
 * key is found where it was never meant to be. Revoking a revoked key changes nothing. Returns whether there is such a
 * key. Throws UNAVAILABLE.
 */
export async function revokeOwnKey(
  { store }: Management,
  digests: readonly string[],
  call: HolderCall,
): Promise<boolean> {
  const found = await store.keys.findByDigest(digests);
  if (found === null) return false;
  const { id: keyId } = found;
  const caller: Caller = { ...call, session: { subject: `key:${keyId}`, teams: new Map() } };
  // Also for a revoked key: its revocation may not have been answered yet, and until then an instance may accept it.
  await store.changes.submit({
    kind: 'existing',
    keyId,
    decide: (key, revision) => (key === null ? { answer: null } : revoked(caller, key, revision)),
  });
  return true;
}
