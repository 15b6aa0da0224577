import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('.'),
  // Compressed once, here, and not for each answer by the process that verifies.
  plugins: [react(), compression({ algorithms: ['gzip', 'brotliCompress'], include: /\.(?:js|css|svg)$/ })],
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
    },
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
});
