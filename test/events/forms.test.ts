/** Every type of event, in every form, is valid by the schema of that form. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { type AuditEntry, actorKinds } from '../../src/domain/audit-entry.ts';
import type { LatchkeyEvent } from '../../src/domain/event/event.ts';
import { eventSchema } from '../../src/domain/event/event-schema.ts';
import { eventActions } from '../../src/domain/event/event-types.ts';
import { limits } from '../../src/domain/limits.ts';
import { formsOf, unnamedInstallation } from '../../src/events/forms/forms.ts';
import { sampleEvent, sampleKey } from '../support/sample-events.ts';

const forms = formsOf({ source: unnamedInstallation, version: '0.1.0' });

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
formats.default(ajv);

/** OCSF: the attribute beside a number has the caption of the number; for 99 a text of the source's own. */
ajv.addKeyword({
  keyword: 'captions',
  validate: (captions: Record<string, string>, value: number, _: unknown, context?: { parentData: object }) => {
    const text = Reflect.get(context?.parentData ?? {}, captions.attribute ?? '');
    return value === 99 ? typeof text === 'string' : text === undefined || text === captions[value];
  },
});
const { api_activity, authentication, $defs } = JSON.parse(readFileSync('test/events/ocsf/schema.json', 'utf8'));
const isApiActivity = ajv.compile({ ...api_activity, $defs });
const isAuthentication = ajv.compile({ ...authentication, $defs });

/** Each kind of actor, addresses of both families and none, a purged key, and the least that an entry has. */
const variants: readonly Partial<AuditEntry>[] = [
  ...[...actorKinds, null].flatMap((actorKind) =>
    ['192.0.2.7', '2001:db8::7', '::ffff:192.0.2.7', 'fe80::1%eth0', 'socket', null].map((source) => ({
      actorKind,
      source,
    })),
  ),
  { actorKind: 'SYSTEM', actor: 'latchkey', source: null, requestId: '', changes: [] },
  { changes: [{ field: 'allowedIps', before: null, after: null, added: ['10.0.0.0/8'], removed: [] }] },
];

function samples(action: (typeof eventActions)[number]): LatchkeyEvent[] {
  return [...variants.map((entry) => sampleEvent(action, entry)), sampleEvent(action, {}, null)];
}

describe.each(eventActions)('%s', (action) => {
  it('is an event by its own description', () => {
    const validate = ajv.compile(eventSchema(action));
    for (const event of samples(action)) {
      validate(JSON.parse(forms.STANDARD.body(event)));
      expect(ajv.errorsText(validate.errors)).toBe('No errors');
    }
  });

  it('is a CloudEvent that its SDK reads without loss', () => {
    for (const event of samples(action)) {
      const headers = { 'content-type': forms.CLOUDEVENTS.contentType };
      const received = HTTP.toEvent({ headers, body: forms.CLOUDEVENTS.body(event) });
      if (!(received instanceof CloudEvent)) throw new Error('not one event');
      received.validate();
      const subject = event.data.key?.id ?? Reflect.get(Object(event.data.webhook), 'id');
      expect(received.toJSON()).toEqual({
        specversion: '1.0',
        id: event.id,
        source: 'urn:latchkey',
        type: `latchkey.${event.type}`,
        ...(subject !== undefined && { subject }),
        time: event.timestamp,
        datacontenttype: 'application/json',
        data: JSON.parse(JSON.stringify(event.data)),
      });
    }
  });

  it('is an event of OCSF', () => {
    const validate = action === 'SESSION_REJECTED' ? isAuthentication : isApiActivity;
    for (const event of samples(action)) {
      validate(JSON.parse(forms.OCSF.body(event)));
      expect(ajv.errorsText(validate.errors)).toBe('No errors');
    }
  });
});

describe.each(Object.entries(forms))('the form %s', (_, form) => {
  it('keeps the largest event below 20 kB, which Standard Webhooks asks for', () => {
    // The limits of a name, an origin and the subject of a session token; of three bytes are the longest characters.
    const key = { ...sampleKey, name: '鍵'.repeat(limits.nameCharacters) };
    const webhook = { id: randomUUID(), origin: `https://${'x'.repeat(limits.webhookUrlCharacters - 8)}` };
    const changes = [...Array(400).keys()].map((i) => ({
      field: `field${i}`,
      before: null,
      after: '"\n鍵'.repeat(10),
    }));
    const entry = { actor: '鍵'.repeat(255), changes };
    const events = [
      ...eventActions.map((action) => sampleEvent(action, entry, key)),
      sampleEvent('WEBHOOK_UPDATED', { ...entry, details: { webhook } }),
    ];
    for (const event of events) {
      expect(event.data.changes).toContainEqual({ field: 'field399', omitted: true });
      expect(Buffer.byteLength(form.body(event))).toBeLessThan(20_000);
    }
  });

  it('writes one event per line of NDJSON, whatever its texts contain', () => {
    const after = '\n\r\u2028\u2029\u0085"}\n{"';
    const events = [1n, 2n].map((revision) => {
      return sampleEvent('KEY_UPDATED', { revision, changes: [{ field: 'description', before: '', after }] });
    });
    const lines = events.map(form.body);
    for (const line of lines) expect(line).not.toMatch(/[\n\r]/);
    expect(lines.map((line) => JSON.stringify(JSON.parse(line)))).toEqual(lines);
  });
});

describe('the schema of OCSF', () => {
  const valid = JSON.parse(forms.OCSF.body(sampleEvent('KEY_REVOKED')));

  it.each([
    ['an unknown attribute', { ...valid, teamId: 'x' }],
    ['an unknown attribute of an object', { ...valid, api: { ...valid.api, type: 'x' } }],
    ['a missing attribute', { ...valid, src_endpoint: undefined }],
    ['an object without any of its names', { ...valid, src_endpoint: {} }],
    ['a number that is not in the enumeration', { ...valid, severity_id: 7 }],
    ['a type of another activity', { ...valid, type_uid: 600_301 }],
    ['a caption of another number', { ...valid, activity_name: 'Create' }],
    ['an address that is none', { ...valid, src_endpoint: { ip: 'socket' } }],
  ])('rejects %s', (_, event) => {
    expect(isApiActivity(JSON.parse(JSON.stringify(event)))).toBe(false);
  });
});
