/** What docs/reference/events.md says of types, and docs/reference/event-forms.md of forms, is what the code says. */
import { readFileSync } from 'node:fs';
import { expect, describe as group, it } from 'vitest';
import { eventSchema } from '../../src/domain/event/event-schema.ts';
import { type DetailSchema, describe, eventActions, eventTypeOf } from '../../src/domain/event/event-types.ts';
import { formsOf, ndjsonContentType, unnamedInstallation } from '../../src/events/forms/forms.ts';
import { blockOf, codeIn, sectionOf, tableRows } from '../support/documents.ts';
import { problemWith } from '../support/openapi-contract.ts';
import { sampleEvent } from '../support/sample-events.ts';

const forms = formsOf({ source: unnamedInstallation, version: '0.1.0' });
const formsPage = 'docs/reference/event-forms.md';
const rowsOf = (title: string, page = 'docs/reference/events.md') => tableRows(sectionOf(page, title).prose);

/** The paths of what has no members, such as `webhook.id`. */
function pathsOf(members: Readonly<Record<string, DetailSchema>> = {}, above = ''): [string, DetailSchema][] {
  return Object.entries(members).flatMap(([name, schema]): [string, DetailSchema][] =>
    schema.properties === undefined ? [[above + name, schema]] : pathsOf(schema.properties, `${above}${name}.`),
  );
}

group('the sections of events', () => {
  const rows = [...rowsOf('An event'), ...rowsOf('Types')];
  /** By the members that a row is about. */
  const meanings = new Map(
    rows
      .filter((row) => row.length === 2)
      .flatMap(([names = '', value = '']) => codeIn(names).map((name) => [name, value])),
  );

  it('has each type with its description and the members of its data, in the order of the code', () => {
    const documented = rows.filter((row) => row.length === 3);
    expect(documented.map(([type = '', what, data = '']) => [codeIn(type)[0], what, codeIn(data)])).toEqual(
      eventActions.map((action) => {
        const { description, details } = describe(action);
        return [eventTypeOf(action), description, pathsOf(details).map(([path]) => path)];
      }),
    );
  });

  it('says what each member means, with all its values', () => {
    const details = eventActions.flatMap((action) => pathsOf(describe(action).details));
    const { properties } = eventSchema('KEY_CREATED');
    const { data, ...members } = properties;
    const common = [...Object.keys(members), ...Object.keys(data.properties).map((name) => `data.${name}`)];
    expect([...meanings.keys()].sort()).toEqual([...new Set([...common, ...details.map(([path]) => path)])].sort());
    const values = [...details, ['data.actorKind', data.properties.actorKind] as const].flatMap(
      ([path, { enum: all = [] }]) => all.filter((value) => value !== null).map((value) => [path, value] as const),
    );
    expect(values.filter(([path, value]) => !codeIn(meanings.get(path) ?? '').includes(value))).toEqual([]);
  });

  it('has an example that is an event', () => {
    const event = JSON.parse(blockOf('docs/reference/events.md', 'An event'));
    expect(problemWith(event, eventSchema('KEY_UPDATED'))).toBe(null);
  });
});

group('the section of forms', () => {
  const ocsfEvents = eventActions.map((action) => JSON.parse(forms.OCSF.body(sampleEvent(action))));

  it('has each form with its content type', () => {
    const documented = rowsOf('Forms', formsPage).map(([form = '', type = '']) => [
      codeIn(form)[0]?.toUpperCase(),
      codeIn(type)[0],
    ]);
    expect(documented).toEqual(Object.entries(forms).map(([name, { contentType }]) => [name, contentType]));
    expect(codeIn(sectionOf(formsPage, 'Forms').prose)).toContain(ndjsonContentType);
  });

  it('has each attribute of a CloudEvent', () => {
    const event = JSON.parse(forms.CLOUDEVENTS.body(sampleEvent('KEY_CREATED')));
    const documented = rowsOf('CloudEvents', formsPage).flatMap(([attributes = '']) => codeIn(attributes));
    expect(['specversion', ...documented].sort()).toEqual(Object.keys(event).sort());
  });

  it('has the version of OCSF that events state and that the tests compare them with', () => {
    const { $comment } = JSON.parse(readFileSync('test/events/ocsf/schema.json', 'utf8'));
    const [version] = /\d+\.\d+\.\d+/.exec($comment) ?? [];
    expect(new Set(ocsfEvents.map(({ metadata }) => metadata.version))).toEqual(new Set([version]));
    const { prose } = sectionOf(formsPage, 'OCSF');
    const named = `${sectionOf(formsPage, 'Forms').prose}${prose}`.match(/\d+\.\d+\.\d+(?=[/\])])/g);
    expect(new Set(named)).toEqual(new Set(['1.0.2', version]));
  });

  it('has the activity and the severity of each type in OCSF', () => {
    const documented = rowsOf('OCSF', formsPage).filter(([name = '']) => /^\w+ \(\d+\)$/.test(name));
    const ofType = (type: string) =>
      documented.filter(([, types = '']) => codeIn(types).includes(type)).map(([name]) => name);
    for (const { metadata, type_name: typeName, type_uid: typeUid, severity, severity_id: severityId } of ocsfEvents) {
      const activity = String(typeName).split(': ')[1];
      expect([metadata.event_code, ...ofType(metadata.event_code)]).toEqual([
        metadata.event_code,
        `${activity} (${typeUid})`,
        `${severity} (${severityId})`,
      ]);
    }
  });
});
