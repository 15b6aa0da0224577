/** Events as CloudEvents 1.0, in the structured mode of the JSON format. */
import type { LatchkeyEvent } from '../../domain/event/event.ts';
import { subjectOf } from './subject.ts';

export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: LatchkeyEvent['data'];
}

/**
 * CloudEvents recommends a reversed domain name as the prefix. All installations have the same types, so the prefix is
 * the name of the product, and `source` has the domain of the installation.
 */
const typePrefix = 'latchkey.';

/** @param source the URI of the installation */
export function cloudEvent(event: LatchkeyEvent, source: string): CloudEvent {
  const subject = subjectOf(event);
  return {
    specversion: '1.0',
    id: event.id,
    source,
    type: `${typePrefix}${event.type}`,
    ...(subject && { subject: subject.id }),
    time: event.timestamp,
    datacontenttype: 'application/json',
    data: event.data,
  };
}
