import type { ActorKind, AuditAction } from '../../generated/graphql.ts';

export const actionNames: Readonly<Record<AuditAction, string>> = {
  KEY_CREATED: 'Created',
  KEY_UPDATED: 'Changed',
  KEY_IMPORTED: 'Imported',
  KEY_REVOKED: 'Revoked',
  SIGNING_ENABLED: 'Signing enabled',
  SIGNING_ROTATED: 'Signing secret rotated',
  SIGNING_DISABLED: 'Signing disabled',
  KEY_ROTATED: 'Rotated',
  OVERLAP_ENDED: 'Overlap ended',
  KEY_DISABLED: 'Disabled',
  KEY_ENABLED: 'Enabled',
  KEY_EXPIRING: 'Expires soon',
  KEY_EXPIRED: 'Expired',
  KEY_UNUSED: 'Unused',
  KEY_EXPOSED: 'Leaked',
  KEY_TRIPPED: 'Tripwire presented',
  KEYS_FROZEN: 'Keys frozen',
  KEYS_UNFROZEN: 'Fence lifted',
  OVERLAP_ENDING: 'Overlap ends soon',
  WEBHOOK_CREATED: 'Webhook created',
  WEBHOOK_UPDATED: 'Webhook changed',
  WEBHOOK_DELETED: 'Webhook deleted',
  WEBHOOK_ENABLED: 'Webhook enabled',
  WEBHOOK_DISABLED: 'Webhook disabled',
  WEBHOOK_SECRET_ROTATED: 'Webhook secret rotated',
  WEBHOOK_TESTED: 'Webhook tested',
  EVENTS_REPLAYED: 'Events replayed',
  ACCESS_KEY_CREATED: 'Management key made',
  ACCESS_KEY_ROTATED: 'Management key rotated',
  ACCESS_KEY_REVOKED: 'Management key revoked',
  ACCESS_KEY_EXPIRING: 'Management key expires soon',
  ACCESS_KEY_EXPOSED: 'Management key leaked',
  ACCESS_RULE_CREATED: 'Trust rule made',
  ACCESS_RULE_DELETED: 'Trust rule removed',
  MEMBER_LEFT: 'Member left',
  POLICY_CHANGED: 'Policy changed',
  POLICY_VIOLATED: 'Policy violated',
  LEAK_POLICY_CHANGED: 'Leak policy changed',
};

interface Actor {
  readonly actor: string;
  readonly actorKind: ActorKind | null;
}

/** Returns who made a change, as people say it. Latchkey itself can act on behalf of a reporter, such as `github`. */
export function actorName({ actor, actorKind }: Actor): string {
  if (actorKind !== 'SYSTEM') return actor;
  return actor === 'latchkey' ? 'Latchkey' : `Latchkey (${actor})`;
}
