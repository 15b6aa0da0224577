/**
 * Reads an audit trail in NDJSON, in each form in which an operator can have one: as `audit export` prints it, and as
 * events in the forms `standard`, `cloudevents` and `ocsf`. A file can have several forms, and entries of several teams.
 */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { noSubject } from '../../domain/audit-entry.ts';
import { eventActions, isAboutKey } from '../../domain/event/event-types.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import { BadFile } from '../../key-file/lines.ts';
import { tryParseJson } from '../../lib/try-parse-json.ts';
import { canonicalUuid, isUuid } from '../../lib/uuid.ts';
import type { TrailEntry } from '../../manage/upkeep/lost-changes.ts';
import { Failure } from '../failure.ts';
import { fileLines } from '../file-lines.ts';

/** An event is smaller than 20 kB. An exported entry can have two lists of sources. */
const maxLineBytes = 1024 * 1024;

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
/** As the service writes ids and times: what the database or a later step rejects would end the command halfway. */
const keyId = z.string().refine(isUuid).transform(canonicalUuid);
const moment = z.iso.datetime({ offset: true }).pipe(z.coerce.date());
const milliseconds = z.int().min(0).max(Date.parse('9999-12-31T23:59:59.999Z'));

const change = z.object({
  field: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  added: optional(z.array(z.string())),
  removed: optional(z.array(z.string())),
});
const changes = z.array(change);
const data = z.object({ key: z.object({ id: keyId }).nullable(), requestId: z.string(), changes });
const resource = z.union([
  z.object({ type: z.literal('key'), uid: keyId }),
  z.object({ type: z.string().refine((type) => type !== 'key'), uid: z.string() }),
]);

const forms = [
  z
    .object({
      id: z.string(),
      action: z.string(),
      keyId,
      requestId: z.string(),
      at: moment,
      changes,
    })
    .transform(({ id, keyId, ...entry }) => ({ position: id, keyId: keyId === noSubject ? null : keyId, ...entry })),
  z
    .object({ id: z.string(), type: z.string(), timestamp: moment, data })
    .transform(({ id, type, timestamp, data }) => entryOfEvent(id, type, timestamp, data)),
  z
    .object({ specversion: z.string(), id: z.string(), type: z.string(), time: moment, data })
    .transform(({ id, type, time, data }) => entryOfEvent(id, type.replace(/^latchkey\./, ''), time, data)),
  z
    .object({
      metadata: z.object({ uid: z.string(), event_code: z.string(), logged_time: milliseconds }),
      api: z.object({ request: z.object({ uid: z.string() }).default({ uid: '' }) }).optional(),
      resources: z.array(resource).default([]),
      unmapped: z.object({ changes }).default({ changes: [] }),
    })
    .transform(({ metadata, api, resources, unmapped }) => {
      const key = resources.find(({ type }) => type === 'key');
      const { uid, event_code: type, logged_time: time } = metadata;
      const requestId = api?.request.uid ?? '';
      return entryOfEvent(uid, type, new Date(time), {
        key: key === undefined ? null : { id: key.uid },
        requestId,
        changes: unmapped.changes,
      });
    }),
] as const;
const anyForm = z.union(forms);

function entryOfEvent(id: string, type: string, at: Date, { key, requestId, changes }: z.output<typeof data>) {
  const action = type.replace('.', '_').toUpperCase();
  return { position: id.replace(/^evt_/, ''), action, keyId: key?.id ?? null, requestId, at, changes };
}

/**
 * The entries about keys. Throws BadFile for a line that is not an entry, or that is of another installation or a newer
 * version; Failure if there is no entry, because the command that should have printed the trail has failed then.
 */
export async function* readTrail(source: Readable, revisions: OpaqueRevisions): AsyncGenerator<TrailEntry> {
  let isEmpty = true;
  for await (const { number, text } of fileLines(source, maxLineBytes)) {
    if (text.trim() === '') continue;
    isEmpty = false;
    const { position, keyId, ...entry } = parseLine(number, text);
    const revision = revisions.decode(position);
    if (revision === null) throw new BadFile(number, 'is of another installation: this database has no such id');
    if (!isToApply(number, entry.action, keyId)) continue;
    if (keyId === null) throw new BadFile(number, 'must have a key, because it is about one');
    yield { ...entry, keyId, revision };
  }
  if (isEmpty) throw new Failure('BAD_FILE', 'The trail has no entries. Has the command that prints it failed?');
}

const knownActions: ReadonlySet<string> = new Set(eventActions);
const otherSubjects = new Set(eventActions.filter((action) => !isAboutKey(action)).map(subjectOf));

/** Whether an entry is about a key. An unknown action is skipped only if it is about something else for certain. */
function isToApply(number: number, action: string, keyId: string | null): boolean {
  if (knownActions.has(action)) return isAboutKey(action);
  const isOther = otherSubjects.has(subjectOf(action)) || (keyId === null && !isAboutKey(action.toUpperCase()));
  if (isOther) return false;
  throw new BadFile(number, 'has an action that this version of Latchkey does not know');
}

function subjectOf(action: string): string {
  return action.replace(/_.*/s, '');
}

function parseLine(number: number, line: string): z.output<typeof anyForm> {
  const entry = anyForm.safeParse(tryParseJson(line));
  if (entry.success) return entry.data;
  throw new BadFile(number, 'must be an entry of `latchkey audit export`, or an event');
}
