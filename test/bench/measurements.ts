/**
 * The measurements in docs/evidence: the command of each, and the folders whose code its figures depend on.
 * The name is also that of the block that has the figures (`page.ts`), which many of the commands write.
 */
export interface Measurement {
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
  verify: { command: 'npm run bench -- verify', dependsOn: [...everyVerdict, 'src/admission'] },
  check: { command: 'npm run bench -- check', dependsOn: [...everyVerdict, 'src/admission'] },
  local: { command: 'npm run bench -- local', dependsOn: [...everyVerdict, 'src/client', 'src/wire'] },
  dashboard: { command: 'npm run bench -- dashboard', dependsOn: ['src/dashboard', ...everyCall] },
  create: { command: 'npm run bench -- create', dependsOn: everyCall },
  reads: { command: 'npm run bench -- reads', dependsOn: everyCall },
  pages: { command: 'npm run bench -- pages', dependsOn: [...everyCall, 'src/service'] },
  large: { command: 'npm run bench -- large', dependsOn: ['prisma', 'src/store', 'src/manage', ...everyVerdict] },
  events: { command: 'npm run bench -- events', dependsOn: ['src/events', ...service] },
  postgres: { command: 'npm run bench -- postgres', dependsOn: [...everyVerdict, 'src/admission'] },
  import: { command: 'latchkey keys import', dependsOn: ['src/cli/keys', 'src/key-file', ...everyCall] },
  torture: { command: 'npm run stress -- torture', dependsOn: ['src/client', ...service] },
  'torture-events': { command: 'npm run stress -- torture events', dependsOn: ['src/events', ...service] },
  'bad-receivers': { command: 'npm run stress -- hostile --only bad-receivers', dependsOn: ['src/events', ...service] },
  overload: { command: 'npm run stress -- overload', dependsOn: service },
  soak: { command: 'npm run stress -- soak', dependsOn: service },
  durability: { command: 'npm run stress -- durability', dependsOn: service },
  'power-loss': { command: 'npm run stress -- durability --power-loss', dependsOn: service },
  network: { command: 'npm run stress -- network', dependsOn: ['src/client', ...service] },
  'network-torture': { command: 'npm run stress -- network', dependsOn: ['src/client', ...service] },
  'rate-limits': {
    command: 'npm run test:slow -- test/service/rate-limits.slow.test.ts',
    dependsOn: ['src/usage', ...everyVerdict],
  },
} as const satisfies Readonly<Record<string, Measurement>>;

export type MeasurementName = keyof typeof measurements;

export const measurementNames = Object.keys(measurements) as readonly MeasurementName[];
