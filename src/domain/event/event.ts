import type { ActorKind, AuditChange, AuditEntry } from '../audit-entry.ts';
import type { ApiKey } from '../key/api-key.ts';
import type { OpaqueRevisions } from '../opaque-revisions.ts';
import { type EventType, eventTypeOf, isAboutKey } from './event-types.ts';

/** An event as every subscriber gets it. `eventSchema` describes it. */
export interface LatchkeyEvent {
  /** The same for every subscriber and every attempt. It is also the position of the event in the log. */
  readonly id: string;
  readonly type: EventType;
  /** ISO 8601 with milliseconds and `Z`. */
  readonly timestamp: string;
  readonly data: EventData;
}

export interface EventData {
  readonly teamId: string;
  /** The key that the event is about, as it is now; null if it is about no key. Of a purged key, only the id is known. */
  readonly key: EventKey | PurgedKey | null;
  readonly actor: string;
  readonly actorKind: ActorKind | null;
  /** The address of the caller, if it is known. */
  readonly source: string | null;
  readonly requestId: string;
  /** As in the audit trail. A change whose values were too long has `omitted` in place of them. */
  readonly changes: readonly (AuditChange | OmittedChange)[];
  /** The details that the type has, as `actions` describes them. */
  readonly [detail: string]: unknown;
}

export type EventKey = Pick<ApiKey, 'id' | 'name' | 'env' | 'prefix' | 'responsible'>;

interface PurgedKey {
  readonly id: string;
  readonly name: null;
  readonly env: null;
  readonly prefix: null;
  readonly responsible: null;
}

interface OmittedChange {
  readonly field: string;
  readonly omitted: true;
}

/** Standard Webhooks asks for bodies below 20 kB. The forms of other standards repeat some of the members. */
const maxBytes = 16_000;

const idPrefix = 'evt_';

export function eventIdOf(revision: bigint, revisions: OpaqueRevisions): string {
  return `${idPrefix}${revisions.encode(revision)}`;
}

/** Returns null for a text that is not the id of an event of this installation. */
export function revisionOfEvent(id: string, revisions: OpaqueRevisions): bigint | null {
  return id.startsWith(idPrefix) ? revisions.decode(id.slice(idPrefix.length)) : null;
}

/** @param key the key that the entry is about; null if it is about none, or if the key has been purged */
export function eventOf(entry: AuditEntry, key: EventKey | null, revisions: OpaqueRevisions): LatchkeyEvent {
  const { teamId, actor, actorKind, source, requestId } = entry;
  const event = (changes: EventData['changes']): LatchkeyEvent => ({
    id: eventIdOf(entry.revision, revisions),
    type: eventTypeOf(entry.action),
    timestamp: entry.at.toISOString(),
    data: {
      teamId,
      key: isAboutKey(entry.action) ? keyOf(entry, key) : null,
      actor,
      actorKind,
      source,
      requestId,
      changes,
      ...entry.details,
    },
  });
  const room = maxBytes - sizeOf(event([]));
  return event(withinBytes(entry.changes, room));
}

function keyOf({ keyId }: AuditEntry, key: EventKey | null): EventData['key'] {
  if (key === null) return { id: keyId, name: null, env: null, prefix: null, responsible: null };
  const { id, name, env, prefix, responsible } = key;
  return { id, name, env, prefix, responsible };
}

/** Omits the values of the longest changes until the rest fits. */
function withinBytes(changes: readonly AuditChange[], room: number): EventData['changes'] {
  const kept: (AuditChange | OmittedChange)[] = [...changes];
  let bytes = sizeOf(changes);
  const longestFirst = changes.map((change, i) => ({ i, size: sizeOf(change) })).sort((a, b) => b.size - a.size);
  for (const { i, size } of longestFirst) {
    const change = changes[i];
    if (bytes <= room || change === undefined) break;
    const omitted: OmittedChange = { field: change.field, omitted: true };
    kept[i] = omitted;
    bytes += sizeOf(omitted) - size;
  }
  return kept;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
