import type { HolderCall } from '../../wire/control-plane.ts';
import type { Caller } from '../caller.ts';
import type { Management } from '../management.ts';
import { revoked } from './revoke-key.ts';

/**
 * Revokes a key for a caller who presented its secret to the data plane. The key's sources, signature and expiry are not
 * checked: a leaked key is found where it was never meant to be used, and its holder could do worse with it than revoke
 * it. Revoking it again changes nothing. Returns whether there is such a key.
 * Throws UNAVAILABLE.
 */
export async function revokeOwnKey({ store }: Management, keyId: string, call: HolderCall): Promise<boolean> {
  const session = { subject: `key:${keyId}`, teams: new Map(), teamNames: new Map() };
  const caller: Caller = { ...call, session, actorKind: 'KEY_HOLDER' };
  // Submitted also for a revoked key: the earlier revocation may not have been answered yet, and until then an instance
  // may still accept the key.
  return await store.changes.submit({
    kind: 'existing',
    keyId,
    holder: `address ${call.source}`,
    decide: (key, revision) => {
      if (key === null) return { answer: false };
      return { ...revoked(caller, key, revision), answer: true };
    },
  });
}
