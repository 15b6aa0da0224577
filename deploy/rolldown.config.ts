import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import markdownIt from 'markdown-it';
import { defineConfig, type Plugin } from 'rolldown';
import { docsPages } from './docs/docs-pages.ts';

const entries = [
  'main',
  'service/management',
  'service/sender',
  'service/verification',
  'service/processes/watchdog-thread',
  'cli/latchkey',
];

const command = `#!/bin/sh
root=$(dirname "$0")/../..
exec "$root/with-node.sh" node "$root/dist/cli/latchkey.js" "$@"
`;

/** Lets `npx latchkey` run what is built here, with the Node.js that is installed here. */
const linkCommand: Plugin = {
  name: 'link-command',
  writeBundle: () => {
    // The file in the package of the service is run itself.
    chmodSync('dist/cli/latchkey.js', 0o755);
    // A symbolic link of an earlier build would be followed.
    rmSync('node_modules/.bin/latchkey', { force: true });
    writeFileSync('node_modules/.bin/latchkey', command, { mode: 0o755 });
  },
};

/** Makes the page of ports/errors-page.ts from docs/reference/errors.md. A heading has its whole text as id, such as `REVOKED`. */
const errorsPage: Plugin = {
  name: 'errors-page',
  buildStart() {
    const markdown = markdownIt();
    const { rules } = markdown.renderer;
    rules.heading_open = (tokens, i) => `<${tokens[i]?.tag} id="${tokens[i + 1]?.content}">`;
    // The other documents are not served.
    rules.link_open = (tokens, i) => `<span title="docs/${tokens[i]?.attrGet('href')}">`;
    rules.link_close = () => '</span>';
    const content = markdown.render(readFileSync('docs/reference/errors.md', 'utf8'));
    const codes = [...content.matchAll(/<h3 id="(\w+)">/g)].map(([, code]) => `<a href="#${code}">${code}</a>`);
    const source = page.replace('CONTENT', () => content.replace('<h2', () => `<nav>${codes.join(' ')}</nav>\n<h2`));
    this.emitFile({ type: 'asset', fileName: 'errors.html', source });
  },
};

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Codes - Latchkey</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  code { font-size: 0.9em; overflow-wrap: anywhere; }
  :target { scroll-margin-top: 1rem; background: light-dark(#fff3bf, #5c4400); }
</style>
<main>
CONTENT</main>
</html>
`;

/** The service and its command as a few files: Node.js starts three times as fast as with one file for each module. */
export default defineConfig({
  platform: 'node',
  input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  // Native code.
  external: ['better-sqlite3', 'pg-native'],
  plugins: [errorsPage, docsPages, linkCommand],
  output: {
    dir: 'dist',
    format: 'esm',
    // As deep as the modules of src/lib, so that paths relative to `import.meta.url` hold in both.
    chunkFileNames: 'chunks/[name].js',
  },
});
