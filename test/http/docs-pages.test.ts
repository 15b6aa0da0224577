/** The documents as the service serves them at `/docs`: complete, linked, and without scripts. */
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { renderedDocs } from '../../deploy/docs/docs-pages.ts';
import { docs } from '../../src/dashboard/components/docs.ts';

const files = renderedDocs();
const pages = new Map(
  [...files].filter(([name]) => name.endsWith('.html')).map(([name, content]) => [name, String(content)]),
);
const addressOf = (name: string) => posix.join('/docs', name === 'index.html' ? '' : name).replace(/\.html$/, '');
const byAddress = new Map(Array.from(pages, ([name, content]) => [addressOf(name).replace(/\/$/, ''), content]));
const idsOf = (content = '') => new Set(Array.from(content.matchAll(/ id="([^"]+)"/g), ([, id]) => id));

it('each link within the documents leads to a page and a section that exist', () => {
  expect(byAddress.size).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const [address, content] of byAddress) {
    for (const [, href = ''] of content.matchAll(/<a (?:class="skip" )?href="([^"]+)"/g)) {
      const [path = '', anchor] = href.split('#');
      if (path === '/' || /^https?:/.test(href)) continue;
      const target = byAddress.get(path === '' ? address : path);
      if (target === undefined || (anchor !== undefined && !idsOf(target).has(anchor)))
        wrong.push(`${address}: ${href}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('each page is in the list of all documents, and each picture is there', () => {
  const contents = byAddress.get('/docs') ?? '';
  for (const address of byAddress.keys()) expect(contents).toContain(`href="${address}"`);
  for (const [, src = ''] of [...pages.values()].join('').matchAll(/<img src="\/docs\/([^"]+)"/g)) {
    expect(files.has(src)).toBe(true);
  }
});

it.each(Object.values(docs))('the dashboard links to %s, which exists', (section) => {
  const [path = '', anchor] = section.split('#');
  const target = byAddress.get(`/docs/${path}`);
  expect(target).toBeDefined();
  if (anchor !== undefined) expect(idsOf(target)).toContain(anchor);
});

it.each([...pages])('%s has no script, no style of its own and no path of the machine that built it', (_, content) => {
  expect(content).not.toMatch(/<script|<style| style=| on\w+="/);
  expect(content).not.toContain(process.cwd());
  expect(content.match(/<h1/g)).toHaveLength(1);
});
