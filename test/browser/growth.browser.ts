/** A tab that stays open all day: pages that were left leave nothing behind. */
import type { CDPSession } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Created, createKey } from './support/dashboard.ts';
import { all, userOf } from './support/test.ts';

const navigations = 200;
/** React and the browser keep a few nodes of the page that was left. A page has hundreds of nodes, and a list thousands. */
const maxMore = { documents: 0, nodes: 200, listeners: 20 };
let visited: Created;
const user = userOf({
  permissions: all,
  prepare: async (dashboard) => {
    for (let i = 0; i < 59; i += 1) await createKey(dashboard, { name: `Key ${i}` });
    visited = await createKey(dashboard, { name: 'Visited' });
  },
});

/** Returns what the tab holds, without what only waits to be collected. */
async function held(debuggerOf: CDPSession): Promise<typeof maxMore> {
  await debuggerOf.send('HeapProfiler.collectGarbage');
  const { documents, nodes, jsEventListeners } = await debuggerOf.send('Memory.getDOMCounters');
  return { documents, nodes, listeners: jsEventListeners };
}

it(`${navigations} navigations between all pages leave no nodes or listeners behind`, async () => {
  const places = [
    { place: 'keys', heading: 'Keys' },
    { place: 'keys/new', heading: 'Create a key' },
    { place: `keys/${visited.id}`, heading: 'Visited' },
    { place: 'overview', heading: 'Overview' },
    { place: `keys/${visited.id}?part=history`, heading: 'Visited' },
    { place: 'try', heading: 'Try a key' },
    { place: 'audit', heading: 'Audit trail' },
    { place: 'import', heading: 'Import keys' },
  ];
  const visit = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const { place, heading } = places[time % places.length] ?? { place: 'keys', heading: 'Keys' };
      await user.goTo(place);
      await user.heading(heading);
    }
    await user.goTo('keys');
    await user.sees('1 to 50 of 60');
  };
  const debuggerOf = await user.context.newCDPSession(user.page);
  // The code of all pages is loaded, and the cache of queries is full.
  await visit(2 * places.length);
  const before = await held(debuggerOf);
  await visit(navigations);
  // One collection does not free all: some objects are released only by the cleanup that follows it.
  await expect
    .poll(async () => excess(before, await held(debuggerOf)), {
      message: `more than before: ${JSON.stringify(before)}`,
    })
    .toEqual({});
});

/** Returns the counts that have grown by more than they may. */
function excess(before: typeof maxMore, after: typeof maxMore): Partial<typeof maxMore> {
  const names = Object.keys(maxMore) as (keyof typeof maxMore)[];
  return Object.fromEntries(
    names.filter((name) => after[name] - before[name] > maxMore[name]).map((name) => [name, after[name]]),
  );
}
