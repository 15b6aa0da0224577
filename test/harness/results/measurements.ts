/**
 * The measurements in docs/evidence: the command of each, and the folders whose code its figures depend on.
 * The name is also that of the block that has the figures (`page.ts`), which many of the commands write.
 */
interface Measurement {
  readonly command: string;
  readonly dependsOn: readonly string[];
}

const everyVerdict = [
  'src/lib',
  'src/domain',
  'src/engine',
  'src/gateway',
  'src/usage',
  'src/verify',
  'src/store/feed',
  'package-lock.json',
];
const everyCall = [
  'src/lib',
  'src/domain',
  'src/admission',
  'src/auth',
  'src/http',
  'src/graphql',
  'src/rest',
  'src/manage',
  'src/store',
  'prisma',
  'package-lock.json',
];
const service = [...everyVerdict, ...everyCall, 'src/service', 'src/wire'];

export const measurements = {
  verify: { command: 'npm run load -- bench verify', dependsOn: [...everyVerdict, 'src/admission'] },
  check: { command: 'npm run load -- bench check', dependsOn: [...everyVerdict, 'src/admission'] },
  local: { command: 'npm run load -- bench local', dependsOn: [...everyVerdict, 'src/client', 'src/wire'] },
  dashboard: { command: 'npm run load -- bench dashboard', dependsOn: ['src/dashboard', ...everyCall] },
  create: { command: 'npm run load -- bench create', dependsOn: everyCall },
  reads: { command: 'npm run load -- bench reads', dependsOn: everyCall },
  pages: { command: 'npm run load -- bench pages', dependsOn: [...everyCall, 'src/service'] },
  events: { command: 'npm run load -- bench events', dependsOn: ['src/events', ...service] },
  postgres: { command: 'npm run load -- bench postgres', dependsOn: [...everyVerdict, 'src/admission'] },
  import: { command: 'latchkey keys import', dependsOn: ['src/cli/keys', 'src/key-file', ...everyCall] },
  torture: { command: 'npm run chaos -- torture', dependsOn: ['src/client', ...service] },
  'torture-events': { command: 'npm run chaos -- torture events', dependsOn: ['src/events', ...service] },
  'bad-receivers': { command: 'npm run load -- hostile --only bad-receivers', dependsOn: ['src/events', ...service] },
  overload: { command: 'npm run load -- overload', dependsOn: service },
  soak: { command: 'npm run load -- soak', dependsOn: service },
  durability: { command: 'npm run chaos -- durability', dependsOn: service },
  'power-loss': { command: 'npm run chaos -- durability --power-loss', dependsOn: service },
  'network-torture': { command: 'npm run chaos -- network', dependsOn: ['src/client', ...service] },
  'network-latency': { command: 'npm run chaos -- network latency', dependsOn: ['src/client', ...service] },
  'rate-limits': {
    command: 'npm run test:slow -- test/service/rate-limits.slow.test.ts',
    dependsOn: ['src/usage', ...everyVerdict],
  },
} as const satisfies Readonly<Record<string, Measurement>>;

export type MeasurementName = keyof typeof measurements;

export const measurementNames = Object.keys(measurements) as readonly MeasurementName[];
