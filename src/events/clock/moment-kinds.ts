/** The kinds of events about moments of a key or a management key: which moment, and how long before it. */
import type { AuditEntry } from '../../domain/audit-entry.ts';
import { dayMs } from '../../domain/moment.ts';
import type { KeyMoment, MomentName } from '../../store/rows/key-moments.ts';

export interface MomentKind {
  /** The id of its position in the store. */
  readonly id: string;
  readonly name: MomentName;
  /** How long before the moment the event is due. */
  readonly leadMs: number;
  /** Whether the configuration can leave it out. */
  readonly isOptional: boolean;
  readonly event: (key: Pick<KeyMoment, 'id' | 'name' | 'prefix' | 'at'>) => Pick<AuditEntry, 'action' | 'details'>;
}

export const timeProgressPrefix = 'time:';
export const expiredId = `${timeProgressPrefix}expired`;

const hourMs = 3_600_000;
const overlapHours = [24, 1] as const;

/**
 * Returns the kinds in the order in which a key reaches them, so that also after a downtime, the events of a key are
 * written in order.
 *
 * @param noticeDays latest notice last
 */
export function momentKinds(noticeDays: readonly number[]): readonly MomentKind[] {
  return [
    ...noticeDays.map(managementKeyExpiring),
    ...noticeDays.map(expiring),
    ...overlapHours.map((hours) => overlapEnding('key', hours, 'AtExpiry')),
    ...overlapHours.map((hours) => overlapEnding('signing', hours, 'AtExpiry')),
    {
      id: expiredId,
      name: 'expiry',
      leadMs: 0,
      isOptional: false,
      event: ({ at }) => ({ action: 'KEY_EXPIRED', details: { expiresAt: at.toISOString() } }),
    },
    ...overlapHours.map((hours) => overlapEnding('key', hours, '')),
    ...overlapHours.map((hours) => overlapEnding('signing', hours, '')),
  ];
}

function expiring(days: number): MomentKind {
  return {
    id: `${timeProgressPrefix}expiring:${days}`,
    name: 'expiry',
    leadMs: days * dayMs,
    isOptional: true,
    event: ({ at }) => ({ action: 'KEY_EXPIRING', details: { expiresAt: at.toISOString(), days } }),
  };
}

/** It is never extended: a program has to get another one before. */
function managementKeyExpiring(days: number): MomentKind {
  return {
    id: `${timeProgressPrefix}managementKeyExpiring:${days}`,
    name: 'managementKeyExpiry',
    leadMs: days * dayMs,
    isOptional: true,
    event: ({ at, id, name, prefix }) => ({
      action: 'ACCESS_KEY_EXPIRING',
      details: { managementKey: { id, name, prefix }, expiresAt: at.toISOString(), days },
    }),
  };
}

function overlapEnding(secret: 'key' | 'signing', hours: number, atExpiry: 'AtExpiry' | ''): MomentKind {
  return {
    id: `${timeProgressPrefix}overlap:${secret}:${hours}${atExpiry}`,
    name: `${secret}Overlap${atExpiry}`,
    leadMs: hours * hourMs,
    isOptional: false,
    event: ({ at }) => ({ action: 'OVERLAP_ENDING', details: { secret, endsAt: at.toISOString() } }),
  };
}
