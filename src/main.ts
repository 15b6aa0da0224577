import { requireSupportedNode } from './service/node-version.ts';

requireSupportedNode();
// A static import would link the module before this check, which may fail on an older Node.js.
await import('./service/start.ts');
