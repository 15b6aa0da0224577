/** The forms in which events are sent. */
import type { LatchkeyEvent } from '../../domain/event/event.ts';
import type { EventForm } from '../../domain/webhook/webhook.ts';
import { cloudEvent } from './cloudevents.ts';
import { ocsfEvent } from './ocsf.ts';

export interface Form {
  /** The content type of the body of one event. */
  readonly contentType: string;
  /** Returns an event as JSON without line breaks, which is also a line of NDJSON. */
  readonly body: (event: LatchkeyEvent) => string;
}

/** The content type of several events. */
export const ndjsonContentType = 'application/x-ndjson';

export interface Installation {
  /** The URI of the installation. Default: `unnamedInstallation`. */
  readonly source: string;
  /** The version of Latchkey. */
  readonly version: string;
}

/** The source of events if the installation has no public URL. */
export const unnamedInstallation = 'urn:latchkey';

export type EventForms = Readonly<Record<EventForm, Form>>;

export function formsOf({ source, version }: Installation): EventForms {
  return {
    STANDARD: { contentType: 'application/json', body: (event) => JSON.stringify(event) },
    CLOUDEVENTS: {
      // In lower case, because the JavaScript SDK compares the letter case too.
      contentType: 'application/cloudevents+json; charset=utf-8',
      body: (event) => JSON.stringify(cloudEvent(event, source)),
    },
    OCSF: { contentType: 'application/json', body: (event) => JSON.stringify(ocsfEvent(event, version)) },
  };
}
