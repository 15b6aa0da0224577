/**
 * Renders the documents as the pages that the service serves at `/docs` (src/http/pages/docs.ts): static HTML without
 * scripts, whose links and anchors are those of the repository.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import markdownIt from 'markdown-it';
import type { Plugin } from 'rolldown';

interface DocsPage {
  /** The address below `/docs/`; empty for the README. */
  readonly path: string;
  readonly title: string;
  /** The file in the repository. */
  readonly source: string;
}

/** The groups of the documents, by folder. */
const groups = new Map([
  ['start', 'Start'],
  ['tasks', 'Tasks'],
  ['reference', 'Reference'],
  ['evidence', 'Evidence'],
  ['', 'More'],
]);
const start = 'README.md';

/** Emits the pages, their style sheet and their pictures. */
export const docsPages: Plugin = {
  name: 'docs-pages',
  buildStart() {
    for (const [fileName, source] of renderedDocs()) {
      this.emitFile({ type: 'asset', fileName: `docs/${fileName}`, source });
    }
  },
};

/** Returns the files of the pages, by their names. */
export function renderedDocs(): ReadonlyMap<string, string | Buffer> {
  const pages = pagesInOrder();
  const files = new Map<string, string | Buffer>([['style.css', readFileSync('deploy/docs/style.css')]]);
  for (const page of pages) files.set(`${page.path || 'index'}.html`, htmlOf(page, pages));
  for (const picture of globSync('docs/**/*.webp')) files.set(posix.relative('docs', picture), readFileSync(picture));
  return files;
}

/** The README names the documents in the order in which they are read. */
function pagesInOrder(): readonly DocsPage[] {
  const readme = readFileSync(start, 'utf8');
  const places = [...readme.matchAll(/\((docs\/[^)#]+\.md)/g)].map(([, source]) => source);
  const place = (source: string) => (places.includes(source) ? places.indexOf(source) : places.length);
  const sources = [...globSync('docs/**/*.md'), 'CHANGELOG.md'].sort();
  const pages = sources
    .toSorted((a, b) => place(a) - place(b))
    .map((source) => ({
      path: posix
        .relative('docs', posix.join('docs', source.replace(/^docs\//, '')))
        .slice(0, -'.md'.length)
        .toLowerCase(),
      title: /^# (.+)$/m.exec(readFileSync(source, 'utf8'))?.[1]?.replaceAll('`', '') ?? basename(source),
      source,
    }));
  return [{ path: '', title: 'Documentation', source: start }, ...pages];
}

function htmlOf(page: DocsPage, pages: readonly DocsPage[]): string {
  const text = readFileSync(page.source, 'utf8');
  const { content, sections } = render(text, page, pages);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} - Latchkey</title>
<link rel="icon" href="/key.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
<a class="skip" href="#content">Skip to the content</a>
<header><a href="/docs">Latchkey documentation</a><a href="/">Dashboard</a></header>
<div class="columns">
<nav aria-label="Documents">${navigation(page, pages, sections)}</nav>
<main id="content">
${content}</main>
</div>
</html>
`;
}

interface Heading {
  readonly id: string;
  readonly text: string;
}

function navigation(page: DocsPage, pages: readonly DocsPage[], sections: readonly Heading[]): string {
  const inPage = `<ul>${sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a>`).join('')}</ul>`;
  const items = (folder: string) =>
    pages
      .filter(({ path }) => path !== '' && (path.includes('/') ? path.split('/')[0] : '') === folder)
      .map(({ path, title }) => {
        const isHere = path === page.path;
        const link = `<a href="/docs/${path}"${isHere ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;
        return `<li>${link}${isHere && sections.length > 0 ? inPage : ''}`;
      });
  const lists = Array.from(groups, ([folder, name]) => `<h2>${name}</h2><ul>${items(folder).join('')}</ul>`);
  // On a phone, the list is closed until it is wanted.
  return `<details><summary>All documents</summary>${lists.join('')}</details><div class="wide">${lists.join('')}</div>`;
}

/** Returns the page's content, and its sections. */
function render(text: string, page: DocsPage, pages: readonly DocsPage[]) {
  const markdown = markdownIt();
  const { rules } = markdown.renderer;
  const headings: (Heading & { readonly level: string })[] = [];
  const ids = new Map<string, number>();
  rules.heading_open = (tokens, i) => {
    const { tag = '' } = tokens[i] ?? {};
    const inline = tokens[i + 1];
    const words = (inline?.children ?? []).map(({ content }) => content).join('');
    const id = uniqueId(anchorOf(words), ids);
    headings.push({ id, text: words, level: tag });
    return `<${tag} id="${id}">`;
  };
  const closing: string[] = [];
  rules.link_open = (tokens, i) => {
    const href = tokens[i]?.attrGet('href') ?? '';
    const target = addressOf(href, page, pages);
    closing.push(target === null ? '</span>' : '</a>');
    return target === null ? `<span title="${escapeHtml(href)}">` : `<a href="${escapeHtml(target)}">`;
  };
  rules.link_close = () => closing.pop() ?? '';
  rules.image = (tokens, i) => {
    const file = posix.join(posix.dirname(page.source), tokens[i]?.attrGet('src') ?? '');
    const alt = escapeHtml(tokens[i]?.content ?? '');
    return `<img src="/${file}" alt="${alt}" loading="lazy">`;
  };
  // What is wider than the page scrolls, also by keyboard.
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
  rules.table_close = () => '</table></div>';
  rules.fence = (tokens, i) => {
    const { info = '', content = '' } = tokens[i] ?? {};
    // A diagram needs a script.
    return info === 'mermaid' ? '' : `<pre tabindex="0"><code>${escapeHtml(content)}</code></pre>\n`;
  };
  // Marks for the programs that write results into a document.
  const content = markdown.render(text.replace(/^<!--.*?-->$/gm, ''));
  return { content, sections: headings.filter(({ level }) => level === 'h2') };
}

/** Returns the address of what a link of a document leads to; null for files that are not served, such as code. */
function addressOf(href: string, { source }: DocsPage, pages: readonly DocsPage[]): string | null {
  if (/^https?:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = path === '' ? source : posix.join(posix.dirname(source), decodeURI(path));
  const page = pages.find(({ source }) => source === file);
  if (page === undefined) return null;
  return `/docs${page.path === '' ? '' : `/${page.path}`}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function uniqueId(id: string, ids: Map<string, number>): string {
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
