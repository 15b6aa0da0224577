import type { Load } from '../changes/change.ts';

export interface TrippedKey {
  readonly teamId: string;
  /** When it was presented last, if that was written. */
  readonly trippedAt: Date | null;
}

/** For the event about a presented tripwire. Null if the key is none, or is revoked or disabled. */
export function trippedKey(keyId: string): Load<TrippedKey | null> {
  return {
    read: async ({ apiKey, auditEntry }) => {
      const key = await apiKey.findUnique({ where: { id: keyId } });
      if (key === null || !key.tripwire || key.revokedAt !== null || key.disabledAt !== null) return null;
      const where = { keyId, event: 'KEY_TRIPPED' };
      const last = await auditEntry.findFirst({ where, orderBy: { revision: 'desc' }, select: { at: true } });
      return { teamId: key.teamId, trippedAt: last?.at ?? null };
    },
  };
}
