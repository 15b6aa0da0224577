import { requireSupportedNode } from './service/node-version.ts';

requireSupportedNode();
// Not before: an older Node may not even link it.
await import('./service/start.ts');
