/** Which folders of `src` may import which. test/architecture.test.ts enforces it, and ARCHITECTURE.md has the same table. */
const folders = [
  'domain',
  'auth',
  'config',
  'metrics',
  'traces',
  'store',
  'manage',
  'graphql',
  'rest',
  'http',
  'verify',
  'gateway',
  'dashboard',
  'client',
];

/** What each folder, and `main.ts`, may import besides itself. */
export const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  auth: ['domain'],
  config: ['domain', 'auth', 'store'],
  metrics: ['domain'],
  traces: ['domain'],
  store: ['domain'],
  manage: ['domain', 'store'],
  graphql: ['domain', 'metrics', 'traces', 'manage'],
  rest: ['domain', 'manage', 'graphql'],
  http: ['domain', 'auth', 'metrics', 'traces', 'manage', 'graphql', 'rest'],
  verify: ['domain', 'metrics', 'store'],
  gateway: ['domain', 'metrics', 'traces', 'verify'],
  dashboard: ['domain'],
  client: ['domain'],
  service: folders,
  tools: ['domain', 'config', 'store', 'manage'],
  cli: ['domain', 'auth', 'config', 'store', 'manage', 'tools', 'service', 'main.ts'],
  'main.ts': ['service'],
};
