import { randomBytes } from 'node:crypto';
import type { Configuration } from '../../config/configuration.ts';
import { ChangeBudget } from '../../manage/change/change-budget.ts';
import { revokeOwnKey } from '../../manage/change/key-state.ts';
import type { Management } from '../../manage/management.ts';
import { OpaqueRevisions } from '../../manage/read/opaque-revisions.ts';
import type { Retention } from '../../manage/upkeep/purge.ts';
import { reportedUse } from '../../manage/upkeep/reported-use.ts';
import { openNonces } from '../../store/feed/data-plane.ts';
import type { Store } from '../../store/store.ts';
import { queryStore } from '../../store/unavailable.ts';
import { HostResolver } from '../../verify/host-resolver.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import type { ServiceSecrets } from './secrets.ts';

export interface UseCases {
  readonly management: Management;
  /** The calls that the verification processes can make. */
  readonly controlPlane: ControlPlane;
  /** Does not close the store. */
  readonly close: () => Promise<void>;
}

/** Opens what the use cases need besides the store. */
export async function openUseCases(
  store: Store,
  { peppers, signingKeks }: ServiceSecrets,
  configuration: Configuration,
): Promise<UseCases> {
  const hosts = new HostResolver(configuration.DNS_SERVERS === undefined ? {} : { servers: configuration.DNS_SERVERS });
  const nonces = openNonces(configuration.DATABASE_URL);
  const management: Management = {
    store,
    keyTag: configuration.KEY_TAG,
    peppers,
    signingKeks,
    revisions: new OpaqueRevisions(await store.readIdSecret()),
    maxKeysPerTeam: configuration.MAX_KEYS_PER_TEAM,
    budget: new ChangeBudget(configuration.TEAM_CHANGES_PER_HOUR),
    randomBytes,
    isNonceUsed: (keyId, nonce) => queryStore(() => nonces.has(keyId, nonce)),
    addressesOf: (host, teamId) => hosts.addresses(host, teamId),
  };
  return {
    management,
    controlPlane: {
      ...reportedUse(store),
      revokeOwnKey: (keyId, call) => revokeOwnKey(management, keyId, call),
      recordConflict: (keyIds, seenAt) => store.conflicts.record(keyIds, seenAt),
    },
    close: async () => {
      hosts.close();
      await nonces.close();
    },
  };
}

export function retentionOf(configuration: Configuration): Retention {
  return {
    usageDays: configuration.USAGE_RETENTION_DAYS,
    auditDays: configuration.AUDIT_RETENTION_DAYS,
    revokedDays: configuration.REVOKED_RETENTION_DAYS,
  };
}
