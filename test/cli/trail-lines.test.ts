/** An audit trail is read in each form in which an operator can have it. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readTrail } from '../../src/cli/operate/trail-lines.ts';
import { OpaqueRevisions } from '../../src/domain/opaque-revisions.ts';
import { formsOf } from '../../src/events/forms/forms.ts';
import { sampleEvent, sampleKey } from '../support/sample-events.ts';

/** That of the sample events. */
const revisions = new OpaqueRevisions(Buffer.alloc(32, 1));
const forms = formsOf({ source: 'urn:latchkey', version: '1.0.0' });

async function read(...lines: readonly string[]) {
  const entries = [];
  // In chunks, as a file is read.
  const chunks = lines.join('\n').match(/.{1,65536}/gs) ?? [];
  for await (const entry of readTrail(Readable.from(chunks), revisions)) entries.push(entry);
  return entries;
}

const changes = [
  { field: 'revokedAt', before: null, after: '2026-05-04T03:02:01.123Z' },
  { field: 'allowedIps', before: null, after: null, added: [], removed: ['10.0.0.1'] },
];
const event = sampleEvent('KEY_REVOKED', { changes, requestId: 'a request' });
const exported = {
  ...{ id: revisions.encode(7n), action: 'KEY_REVOKED', keyId: sampleKey.id, requestId: 'a request' },
  at: event.timestamp,
  changes: changes.map((change) => ({ added: null, removed: null, ...change })),
};
const expected = {
  revision: 7n,
  action: 'KEY_REVOKED',
  keyId: sampleKey.id,
  requestId: 'a request',
  at: new Date(event.timestamp),
  changes,
};

describe('a line of an audit trail', () => {
  it.each(['STANDARD', 'CLOUDEVENTS', 'OCSF'] as const)('is read as an event of the form %s', async (form) => {
    expect(await read(forms[form].body(event))).toEqual([expected]);
  });

  it('is read as an entry of an export, whose empty members are null', async () => {
    expect(await read(JSON.stringify(exported), '')).toEqual([expected]);
  });

  it('can begin with a byte order mark if it is the first', async () => {
    expect(await read(`\ufeff${JSON.stringify(exported)}`)).toEqual([expected]);
    await expect(read('', `\ufeff${JSON.stringify(exported)}`)).rejects.toThrow('line 2: must be an entry');
  });

  it('can have changes whose values were omitted', async () => {
    const long = { field: 'allowedIps', before: null, after: null, added: ['10.0.0.1 #'.padEnd(20_000)], removed: [] };
    const [entry] = await read(forms.STANDARD.body(sampleEvent('KEY_UPDATED', { changes: [long] })));
    expect(entry?.changes).toMatchObject([{ field: 'allowedIps' }]);
  });

  it('is skipped if it is not about a key', async () => {
    const other = (['WEBHOOK_CREATED', 'SESSION_REJECTED', 'LEAK_POLICY_CHANGED'] as const).map((action) =>
      sampleEvent(action),
    );
    for (const { body } of Object.values(forms)) expect(await read(...other.map(body))).toEqual([]);
  });

  it.each([
    ['no JSON', 'line 2: must be an entry of `latchkey audit export`, or an event'],
    ['{"id":"evt_1"}', 'line 2: must be an entry of `latchkey audit export`, or an event'],
    [forms.STANDARD.body({ ...event, id: `evt_${'A'.repeat(22)}` }), 'line 2: is of another installation'],
  ])('%s is rejected with its number', async (line, message) => {
    await expect(read(forms.STANDARD.body(event), line)).rejects.toThrow(message);
  });

  const ocsf = JSON.parse(forms.OCSF.body(event));
  const cloudEvent = JSON.parse(forms.CLOUDEVENTS.body(event));
  it.each([
    { ...exported, at: null },
    { ...exported, at: true },
    { ...exported, at: '5' },
    { ...exported, at: 5 },
    { ...exported, at: '2026-02-30T00:00:00.000Z' },
    { ...event, timestamp: '2026' },
    { ...cloudEvent, time: null },
    ...[1e300, -1, 1.5, null, '5'].map((time) => ({ ...ocsf, metadata: { ...ocsf.metadata, logged_time: time } })),
  ])('is rejected with another time than the service writes (%#)', async (line) => {
    await expect(read(JSON.stringify(exported), JSON.stringify(line))).rejects.toThrow('line 2: must be an entry');
  });

  it.each([
    { ...exported, keyId: 'a key' },
    { ...exported, keyId: `${sampleKey.id}\0` },
    { ...event, data: { ...event.data, key: { id: '\0' } } },
    { ...ocsf, resources: [{ type: 'key', uid: '\0' }] },
  ])('is rejected if the id of its key is not a UUID (%#)', async (line) => {
    await expect(read(JSON.stringify(exported), JSON.stringify(line))).rejects.toThrow('line 2: must be an entry');
  });

  it.each([
    { ...event, data: { ...event.data, key: null } },
    { ...ocsf, resources: [] },
  ])('is rejected if it is about a key and has none (%#)', async (line) => {
    await expect(read(JSON.stringify(exported), JSON.stringify(line))).rejects.toThrow('line 2: must have a key');
  });

  it.each([
    { ...exported, action: 'KEY_FROZEN' },
    { ...exported, action: 'key_revoked' },
    { ...exported, action: 'revoked' },
    { ...event, type: 'key.frozen' },
    { ...event, type: 'frozen' },
    { ...cloudEvent, type: 'latchkey.signing.paused' },
    { ...ocsf, metadata: { ...ocsf.metadata, event_code: 'overlap.frozen' } },
  ])('is rejected if this version does not know its action (%#)', async (line) => {
    const message = 'line 2: has an action that this version of Latchkey does not know';
    await expect(read(JSON.stringify(exported), JSON.stringify(line))).rejects.toThrow(message);
  });

  it('is skipped with an action that is unknown, but not about a key', async () => {
    const lines = [
      { ...exported, action: 'WEBHOOK_FROZEN' },
      { ...exported, action: 'TEAM_FROZEN', keyId: '00000000-0000-0000-0000-000000000000' },
      { ...event, type: 'team.frozen', data: { ...event.data, key: null } },
    ];
    expect(await read(...lines.map((line) => JSON.stringify(line)))).toEqual([]);
  });

  it('is rejected with its number if it is longer than 1 MiB', async () => {
    const line = JSON.stringify({ ...exported, padding: ' '.repeat(2 * 1024 * 1024) });
    await expect(read(JSON.stringify(exported), '', line)).rejects.toThrow('line 3: is longer than 1048576 bytes');
  });

  it('is demanded: a trail without entries is rejected', async () => {
    await expect(read()).rejects.toThrow('The trail has no entries');
    await expect(read('', ' ')).rejects.toThrow('The trail has no entries');
  });
});
