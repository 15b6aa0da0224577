import { type AuditEntry, systemActor } from '../domain/audit-entry.ts';

type NewEntry = Omit<AuditEntry, 'revision'>;

/** The subject of an entry that Latchkey itself writes. */
export type SystemEvent = Pick<NewEntry, 'action' | 'keyId' | 'teamId' | 'details'> & Partial<Pick<NewEntry, 'source'>>;

/** Returns the entry of the log. @param requestId the same for all entries of a transaction */
export function systemEntry(event: SystemEvent, requestId: string, at: Date): NewEntry {
  return {
    source: null,
    ...event,
    ...systemActor,
    requestId,
    at,
    changes: [],
  };
}
