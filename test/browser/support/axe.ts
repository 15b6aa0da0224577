/** What axe finds wrong with a page for those who can't see it well, or have no mouse. */
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

/** Looks at the page when nothing moves anymore: what fades in has no contrast yet. */
export async function violations(page: Page): Promise<string[]> {
  await expect.poll(() => page.evaluate<boolean>(standsStill), { timeout: 10_000 }).toBe(true);
  // Evaluated through the debugger, which the page's Content-Security-Policy does not bind.
  await page.evaluate(axe);
  const found = await page.evaluate<readonly Violation[]>(`axe
    .run(document, { resultTypes: ['violations'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    })))`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
