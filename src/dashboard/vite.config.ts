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
    // Compressed once, here, and not for each answer by the process that verifies.
    compression({
      // The highest quality of Brotli takes twenty times as long, for a twelfth less.
      algorithms: ['gzip', ['brotliCompress', { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }]],
      include: /\.(?:js|css|svg)$/,
    }),
  ],
  resolve: {
    // What the domain's rules on sources ask of Node, for a browser.
    alias: { 'node:net': path('node-net.ts'), 'node:url': path('node-url.ts') },
  },
  worker: { format: 'es' },
  build: {
    outDir: path('../../dist/dashboard'),
    emptyOutDir: true,
    rolldownOptions: {
      input: { dashboard: path('index.html'), openapi: path('openapi.html'), graphiql: path('graphiql.html') },
      // GraphiQL's packages have directives for a compiler that has been over them already.
      checks: { moduleLevelDirective: false },
    },
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI's bundle is the largest chunk.
    chunkSizeWarningLimit: 1600,
    reportCompressedSize: false,
  },
});
