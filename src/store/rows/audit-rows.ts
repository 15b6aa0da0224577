import type { ActorKind, AuditChange, AuditDetails, AuditEntry } from '../../domain/audit-entry.ts';
import type { EventAction } from '../../domain/event/event-types.ts';
import { AuditAction, type Prisma, ActorKind as StoredActorKind } from '../generated/sqlite/client.ts';

type Row = Prisma.AuditEntryGetPayload<object>;

/** The actions that the column `action` has had since before the column `event`. Its type is an enum of PostgreSQL. */
const enumActions: Readonly<Partial<Record<EventAction, AuditAction>>> = AuditAction;

/** The kinds that the column `actorKind` has had since before the column `actorType`. */
const enumKinds: Readonly<Partial<Record<ActorKind, StoredActorKind>>> = StoredActorKind;

export function rowFromEntry(entry: Omit<AuditEntry, 'revision'>, revision: bigint): Prisma.AuditEntryCreateManyInput {
  const { action, actorKind, changes, details, ...rest } = entry;
  const isOwn = actorKind === 'SYSTEM';
  const isNewKind = actorKind !== null && !isOwn && enumKinds[actorKind] === undefined;
  return {
    ...rest,
    revision,
    action: enumActions[action] ?? 'KEY_UPDATED',
    event: isOwn || enumActions[action] === undefined ? action : null,
    actorKind: isOwn || actorKind === null ? null : (enumKinds[actorKind] ?? 'SESSION'),
    actorType: isNewKind ? actorKind : null,
    // Prisma's types for JSON columns do not accept read-only interfaces.
    changes: changes as unknown as Prisma.InputJsonValue,
    ...(details === null ? {} : { details: details as Prisma.InputJsonObject }),
  };
}

export function entryFromRow({ event, actorKind, actorType, changes, details, ...row }: Row): AuditEntry {
  return {
    ...row,
    action: (event ?? row.action) as EventAction,
    // Only `rowFromEntry` writes these columns.
    actorKind: (actorType as ActorKind | null) ?? actorKind ?? (event === null ? null : 'SYSTEM'),
    changes: changes as unknown as AuditChange[],
    details: details as AuditDetails | null,
  };
}
