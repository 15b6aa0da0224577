import { type AuditFields, changesBetween } from '../../domain/audit-entry.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import type { NewEntry } from '../../store/changes/change.ts';
import { type Caller, entryBy } from '../management.ts';

export function fenceEntry(caller: Caller, action: 'KEYS_FROZEN' | 'KEYS_UNFROZEN', fence: Fence): NewEntry {
  const { id, teamId, reason } = fence;
  const shown = shownOf(fence);
  const none = Object.fromEntries(Object.keys(shown).map((field) => [field, null]));
  return {
    ...entryBy(caller),
    action,
    keyId: id,
    teamId,
    changes: action === 'KEYS_FROZEN' ? changesBetween({}, shown) : changesBetween(shown, none),
    details: { fence: { id, reason } },
  };
}

function shownOf({ env, tags, externalId, responsible, createdBefore, until }: Fence): AuditFields {
  return {
    env,
    tags: tags.length === 0 ? null : tags,
    externalId,
    responsible,
    createdBefore: createdBefore?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
  };
}
