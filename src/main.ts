import { requireSupportedNode } from './service/node-version.ts';

requireSupportedNode();
// A dynamic import, because an older Node may fail to link the module.
await import('./service/start.ts');
