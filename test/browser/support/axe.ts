/** What axe finds wrong with a page for people who can't see it well, or have no mouse. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Mantine makes what will fade in transparent one frame before its animation begins. A loader never ends. */
const standsStill = `
  [...document.querySelectorAll('[style*=transition-duration]')].every(
    (part) => part.style.opacity !== '0' || !part.checkVisibility(),
  ) &&
  document.getAnimations().every(
    ({ playState, effect }) => playState !== 'running' || effect.getTiming().iterations === Infinity,
  )`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The rules whose result depends on colors. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Waits until no part of the page moves: what fades in has no contrast yet. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await expect.poll(() => page.evaluate<boolean>(standsStill), { interval: 20 }).toBe(true);
  // Evaluated through the debugger, to which the page's Content-Security-Policy does not apply.
  if (await page.evaluate<boolean>('globalThis.axe === undefined')) await page.evaluate(axe);
  // Nothing is preloaded: axe would load style sheets again, also without a network, for rules that do not run.
  const options = JSON.stringify({
    preload: false,
    resultTypes: ['violations'],
    ...(rules !== undefined && { runOnly: rules }),
  });
  const found = await page.evaluate<readonly Violation[]>(`axe
    .run(document, ${options})
    .then(({ violations }) => violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    })))`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** The rules whose result depends on colors, or on where something is shown. */
const layoutRules = [...colorRules, 'scrollable-region-focusable'];

/** What the other rules read: which elements there are, and which of them are visible. */
const visibleElements = `[...document.querySelectorAll('body *')]
  .map((element) => element.localName + (element.checkVisibility() ? '' : '-'))
  .join()`;

/** 320 is also the width of 1280 pixels at a zoom of 400 % (WCAG 2.2, 1.4.10). */
const widths = [1920, 1280, 768, 320];

/** Returns what is wrong with a page as it is shown, in both color schemes, at each width, and in forced colors. */
export async function problemsOfAllLooks(page: Page): Promise<string[]> {
  const found: string[] = [];
  const check = async (look: string, rules?: readonly string[]) => {
    const problems = [...(await violations(page, rules)), ...(await page.evaluate<string[]>(partsOutside))];
    found.push(...problems.map((problem) => `${look}: ${problem}`));
  };
  const checked = new Set<string>();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await use(page, 'light', 'none');
    const elements = await page.evaluate<string>(visibleElements);
    await check(`${width} px, light`, checked.has(elements) ? layoutRules : undefined);
    checked.add(elements);
    await use(page, 'dark', 'none');
    await check(`${width} px, dark`, colorRules);
  }
  await use(page, 'light', 'active');
  await check('forced colors', colorRules);
  return found;
}

async function use(page: Page, colorScheme: 'light' | 'dark', forcedColors: 'none' | 'active'): Promise<void> {
  await page.emulateMedia({ colorScheme, forcedColors });
  // Pages without scripts follow the browser at once.
  const followed = `html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`;
  await page.locator(followed).waitFor({ state: 'attached' });
}

/** What is wider than the window, and what notices cut off because it is wider than they are. */
const partsOutside = `[
  ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
  ...[...document.querySelectorAll('.mantine-Alert-root *')]
    .filter((part) => part.getBoundingClientRect().right > part.closest('.mantine-Alert-root').getBoundingClientRect().right + 1)
    .map(({ outerHTML }) => 'cut off: ' + outerHTML.slice(0, 80)),
]`;
