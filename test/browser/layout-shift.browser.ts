/** What the pages show stays where it is while the rest of them loads. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKey, type Dashboard, inDays, verdictOn } from './support/dashboard.ts';
import { userOf } from './support/test.ts';

/** Core Web Vitals call 0.1 good. */
const maxShift = 0.05;

let keyId = '';

/** Keys of all lengths and states, of which some were used, and some need attention. */
async function prepare(dashboard: Dashboard): Promise<void> {
  for (let i = 0; i < 30; i += 1) {
    const { id, secret } = await createKey(dashboard, {
      name: `Key ${i}${i % 3 === 0 ? ' of the nightly export to the warehouse in Frankfurt' : ''}`,
      tags: i % 4 === 0 ? ['payments', 'web'] : [],
      ...(i % 5 === 0 ? { expiresAt: inDays(3 + i) } : {}),
    });
    for (const sourceIp of ['192.0.2.14', '198.51.100.7']) {
      if (i % 2 === 0) await verdictOn(dashboard.service, { key: secret, env: 'live', sourceIp });
    }
    await verdictOn(dashboard.service, { key: `${secret.slice(0, -1)}_`, env: 'live', sourceIp: '192.0.2.14' });
    keyId = id;
  }
}

const user = userOf({ prepare, otherTeams: [randomUUID()] });

const observe = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
        [node?.outerHTML?.slice(0, 60) ?? node?.textContent, from.x, from.y, to.x, to.y].join(' '));
      shifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

const pages = [
  { name: 'keys', place: () => 'keys', shows: 'table.keys tbody tr:nth-child(20)' },
  { name: 'overview', place: () => 'overview', shows: '.recharts-bar, .chart svg' },
  {
    name: 'the page of a key',
    place: () => `keys/${keyId}`,
    shows: '.chart svg, [role=status]:has-text("No verifications")',
  },
];

const views = pages.flatMap((page) => [1280, 390].map((width) => ({ ...page, width })));

it.for(views)('nothing moves while $name loads, in a window of $width pixels', async ({ place, shows, width }) => {
  const { page } = user;
  await page.setViewportSize({ width, height: 800 });
  await page.addInitScript(observe);
  await page.goto('about:blank');
  await user.goTo(place());
  await page.locator(shows).first().waitFor();
  await page.waitForLoadState('networkidle');
  const shifts = await page.evaluate<readonly Shift[]>('shifts');
  const sum = shifts.reduce((sum, { value }) => sum + value, 0);
  expect(sum, JSON.stringify(shifts, null, 1)).toBeLessThan(maxShift);
});
