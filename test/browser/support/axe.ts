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

/** Waits until no part of the page moves: what fades in has no contrast yet. */
export async function violations(page: Page): Promise<string[]> {
  await expect.poll(() => page.evaluate<boolean>(standsStill), { timeout: 10_000, interval: 20 }).toBe(true);
  // Evaluated through the debugger, to which the page's Content-Security-Policy does not apply.
  if (await page.evaluate<boolean>('globalThis.axe === undefined')) await page.evaluate(axe);
  const found = await page.evaluate<readonly Violation[]>(`axe
    .run(document, { resultTypes: ['violations'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    })))`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Colors and widths that differ in what axe can find. */
const looks = [
  { colorScheme: 'light', width: 1280, forcedColors: 'none' },
  { colorScheme: 'light', width: 1280, forcedColors: 'active' },
  // 1280 pixels at a zoom of 400 %.
  { colorScheme: 'light', width: 320, forcedColors: 'none' },
  { colorScheme: 'dark', width: 360, forcedColors: 'none' },
] as const;

/** Returns what is wrong with a page as it is shown, in both color schemes and at several widths. */
export async function problemsOfAllLooks(page: Page): Promise<string[]> {
  const found: string[] = [];
  const report = (look: string, problems: readonly string[]) => {
    found.push(...problems.map((problem) => `${look}: ${problem}`));
  };
  for (const { width, ...media } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia(media);
    await page.locator(`html[data-mantine-color-scheme=${media.colorScheme}]`).waitFor({ state: 'attached' });
    const problems = [...(await violations(page)), ...(await page.evaluate<string[]>(partsOutside))];
    report(`${media.colorScheme}, ${width} px, forced colors ${media.forcedColors}`, problems);
  }
  await page.setViewportSize({ width: 768, height: 800 });
  report('768 px', await page.evaluate<string[]>(partsOutside));
  return found;
}

/** What is wider than the window, and what notices cut off because it is wider than they are. */
const partsOutside = `[
  ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
  ...[...document.querySelectorAll('.mantine-Alert-root *')]
    .filter((part) => part.getBoundingClientRect().right > part.closest('.mantine-Alert-root').getBoundingClientRect().right + 1)
    .map(({ outerHTML }) => 'cut off: ' + outerHTML.slice(0, 80)),
]`;
