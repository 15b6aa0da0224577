import type { AuditAction } from '../../generated/graphql.ts';

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
};
