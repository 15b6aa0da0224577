/** The examples for operators in docs/reference/event-forms.md and docs/reference/events.md agree with the code. */
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readConfiguration } from '../../../src/config/configuration.ts';
import { MomentEvents } from '../../../src/events/clock/moment-events.ts';
import { theProvider } from '../../support/databases.ts';
import { blockOf } from '../../support/documents.ts';
import { runSql } from '../../support/sql.ts';
import { openStores } from '../../support/stores.ts';
import { begin, dayMs, later } from '../clock/keys.ts';

it('the variables for a SIEM are valid, and the collector listens where they point', () => {
  const lines = blockOf('docs/reference/event-forms.md', 'Configure Latchkey').trimEnd().split('\n');
  const { EVENTS_URL, EVENTS_FORM } = readConfiguration(Object.fromEntries(lines.map((line) => line.split('='))));
  const { sources, sinks } = parse(blockOf('docs/reference/event-forms.md', 'Receive with Vector'));
  const { port, pathname } = new URL(EVENTS_URL ?? '');
  expect(EVENTS_FORM).toBe('ocsf');
  expect(sources.latchkey).toMatchObject({ address: `0.0.0.0:${port}`, path: pathname });
  expect(sinks.splunk.inputs).toEqual(Object.keys(sources));
});

it('the documented statement lets events about times begin anew after a clock was in the future', async () => {
  const { store, database, stop } = await openStores(theProvider);
  onTestFinished(stop);
  const { signal } = new AbortController();
  const events = new MomentEvents({ store, noticeDays: [], pause: async () => undefined, signal });
  await events.writeDue(later(9999 * dayMs));
  await runSql(database.url, blockOf('docs/reference/events.md', 'Events about times'));
  await events.writeDue(begin);
  const states = [...(await store.eventProgress.list('time:')).values()];
  for (const { at } of states) expect(Date.parse(String(at))).toBeLessThan(begin.getTime());
  expect(states.length).toBeGreaterThan(0);
});
