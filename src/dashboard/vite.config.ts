import { fileURLToPath } from 'node:url';
import { constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('.'),
  plugins: [
    react(),
    {
      // GraphiQL embeds 300 kB of fonts as data: URLs, which the Content-Security-Policy does not allow.
      name: 'remove-graphiql-fonts',
      enforce: 'pre',
      transform: {
        filter: { id: /graphiql\/dist\/style\.css$/ },
        handler: (css) => css.replace(/@font-face\s*\{[^}]*\}/g, ''),
      },
    },
    {
      // Loads the styles of a Mantine component with its code. A component that is not used has neither. Its class names
      // are in `Button.module.mjs`, its styles in `styles/Button.layer.css`. Packages other than `core` have one file.
      // In a layer, styles of the dashboard win, whichever of them is loaded later.
      name: 'mantine-styles',
      transform: {
        filter: { id: /@mantine\/[a-z]+\/esm\/.*\.module\.mjs$/ },
        handler: (code, id) => {
          const [, library = '', component = ''] = /@mantine\/([a-z]+)\/.*?([^/]+)\.module\.mjs$/.exec(id) ?? [];
          const file = library === 'core' ? `styles/${component}.layer.css` : 'styles.layer.css';
          return `import '@mantine/${library}/${file}';\n${code}`;
        },
      },
    },
    {
      // At the end of the body, so that the static part of the page is drawn before they have loaded. Scripts still wait
      // for them.
      name: 'late-styles',
      transformIndexHtml: {
        order: 'post',
        handler: (html, { filename }) => {
          if (!filename.endsWith('/index.html')) return html;
          const links = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
          const rest = links.reduce((text, link) => text.replace(link, ''), html);
          return rest.replace('  </body>', () => `${links.join('')}  </body>`);
        },
      },
    },
    {
      // Vite adds styles that are loaded later to the head: before the late styles, which would then win. Mantine expects
      // the styles of a component, such as Tabs, after those of its parts, such as UnstyledButton.
      name: 'later-styles-last',
      transform: {
        filter: { id: /^\0vite\/preload-helper\.js$/ },
        handler: (code) => {
          const added = code.replace('document.head.appendChild(link)', 'document.body.appendChild(link)');
          if (added === code)
            throw new Error('Vite adds styles in another way: the plugin later-styles-last must change.');
          return added;
        },
      },
    },
    // Compressed at build time, so that the management process does not compress each response.
    compression({
      // 6 % smaller than with quality 9, in four times as long. The highest takes ten times as long for another 1.5 %.
      algorithms: ['gzip', ['brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }]],
      include: /\.(?:js|css|svg)$/,
    }),
  ],
  resolve: {
    // Replaces the Node modules that the rules for allowed sources import.
    alias: { 'node:net': path('node-shims.ts'), 'node:url': path('node-shims.ts') },
  },
  worker: { format: 'es' },
  build: {
    outDir: path('../../dist/dashboard'),
    emptyOutDir: true,
    rolldownOptions: {
      input: { dashboard: path('index.html'), openapi: path('openapi.html'), graphiql: path('graphiql.html') },
      // GraphiQL's packages contain directives for a compiler. The compiler has already processed these packages.
      checks: { moduleLevelDirective: false },
      output: {
        // Without groups, the first page would load a dozen tiny files, which delay each other.
        codeSplitting: {
          groups: [
            { name: 'react', tags: ['$initial'], test: /node_modules\/(?:react|react-dom|scheduler)\/.*js$/ },
            {
              name: 'libraries',
              tags: ['$initial'],
              // GraphiQL uses the other packages of these authors. In this group, the dashboard would load them too.
              test: /node_modules\/(?:@mantine|get-nonce|@tanstack\/(?!react-virtual|virtual-core)).*js$/,
            },
            { name: 'common', tags: ['$initial'], test: /src\/dashboard\/(?:api|components|generated)\/.*tsx?$/ },
          ],
        },
      },
    },
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI's bundle is the largest chunk.
    chunkSizeWarningLimit: 1600,
    reportCompressedSize: false,
  },
});
