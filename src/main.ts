import { requireSupportedNode } from './service/node-version.ts';

requireSupportedNode();
// A static import would link the module before this check. On an older Node.js, linking may fail.
await import('./service/start.ts');
