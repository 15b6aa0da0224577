/** Events of every type, with details by their description. */
import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../../src/domain/audit-entry.ts';
import { type EventKey, eventOf, type LatchkeyEvent } from '../../src/domain/event/event.ts';
import { type DetailSchema, describe, type EventAction, isAboutKey } from '../../src/domain/event/event-types.ts';
import { OpaqueRevisions } from '../../src/domain/opaque-revisions.ts';

const revisions = new OpaqueRevisions(Buffer.alloc(32, 1));

export const sampleKey: EventKey = {
  id: randomUUID(),
  name: 'CI',
  env: 'live',
  prefix: 'lk_live_AbCdEfGh',
  responsible: 'ada',
};

/** Returns an event as the log has it. By default, the bearer of a session token caused it. */
export function sampleEvent(
  action: EventAction,
  entry: Partial<AuditEntry> = {},
  key: EventKey | null = isAboutKey(action) ? sampleKey : null,
): LatchkeyEvent {
  const details = Object.entries(describe(action).details ?? {}).map(([name, schema]) => [name, sampleOf(schema)]);
  const whole: AuditEntry = {
    revision: 7n,
    action,
    keyId: key?.id ?? randomUUID(),
    teamId: action === 'SESSION_REJECTED' ? '' : randomUUID(),
    actor: 'alice',
    actorKind: 'SESSION',
    credentialId: null,
    source: '192.0.2.7',
    requestId: randomUUID(),
    at: new Date('2026-05-04T03:02:01.123Z'),
    changes: [{ field: 'name', before: null, after: 'CI' }],
    details: Object.fromEntries(details),
    ...entry,
  };
  return eventOf(whole, key, revisions);
}

function sampleOf({ type, format, enum: values, properties = {} }: DetailSchema): unknown {
  if (values !== undefined) return values[0];
  if (type === 'object') {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
  }
  if (type === 'integer') return 30;
  return (
    { 'date-time': '2026-06-05T04:03:02.000Z', uuid: randomUUID(), uri: 'https://example.com/hook' }[String(format)] ??
    'a text'
  );
}
