/** What happens to a management key whose secret was reported as leaked. */
import type { ManagementKey } from '../../domain/access/management-key.ts';
import { hasPassed } from '../../domain/moment.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { type ExposedManagementKey, exposedManagementKey } from '../../store/rows/exposures.ts';
import { managementKeyEntry } from '../access/change-management-key.ts';
import { revokedBy } from '../access/revoke-management-key.ts';
import type { Caller } from '../management.ts';
import { type Exposure, placeOf, recordOf, withinLimit } from './exposures.ts';

/**
 * Does what the policy of the team says, once, and writes an entry to the log for each new exposure. A management key can't
 * be disabled: it is revoked instead.
 */
export function leakOfManagementKey(
  id: string,
  reported: ReadonlyMap<string, Exposure>,
  caller: Caller,
): Change<void, ExposedManagementKey | null> {
  return {
    queueKey: 'reports of leaks',
    load: exposedManagementKey(id, [...reported.keys()]),
    decide: (exposed) => {
      if (exposed === null || exposed.newIds.length === 0) return new Decision(undefined);
      const { key, policy, newIds } = exposed;
      const exposures = newIds
        .flatMap((newId) => reported.get(newId) ?? [])
        .map(
          (exposure) =>
            ({
              ...exposure,
              action: policy === 'NOTIFY' || !isAccepted(key, exposure.version, caller.now) ? 'NOTIFY' : 'REVOKE',
            }) as const,
        );
      const revocation = exposures.some(({ action }) => action === 'REVOKE') ? revokedBy(caller)(key).write : undefined;
      const shown = withinLimit(exposures, exposed);
      if (shown.length === 0) return new Decision(undefined);
      const entries = shown.map(({ match, action }) => {
        const { details, ...entry } = managementKeyEntry(caller, 'ACCESS_KEY_EXPOSED', key, key);
        return { ...entry, details: { ...details, leak: { ...placeOf(match), action } } };
      });
      return new Decision(undefined, {
        ...revocation,
        exposures: recordOf(id, caller, shown),
        entries: [...entries, ...(revocation?.entries ?? [])],
      });
    },
  };
}

/** Returns whether a secret of the key is accepted, at whatever address. Its expiry can't be moved. */
function isAccepted(key: ManagementKey, version: number, now: Date): boolean {
  const end = version === key.secretVersion ? key.expiresAt : key.previousExpiresAt;
  return key.revokedAt === null && end !== null && !hasPassed(end, now);
}
