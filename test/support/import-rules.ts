/** What the files of `src` may import, by the table in ARCHITECTURE.md. test/architecture.test.ts enforces it. */
import type { ICruiseOptions, IFlattenedRuleSet } from 'dependency-cruiser';
import { codeIn, sectionOf, tableRows } from './documents.ts';

/** What each folder, and `main.ts`, may import besides itself. */
export const allowed: Readonly<Record<string, readonly string[]>> = allowedImports();

function allowedImports() {
  const imports: Record<string, readonly string[]> = {};
  for (const [folder = '', , others = ''] of tableRows(sectionOf('ARCHITECTURE.md', 'Folders').prose)) {
    const above = Object.keys(imports);
    imports[codeIn(folder)[0] ?? ''] = others === 'every folder above' ? above : codeIn(others);
  }
  return imports;
}

/** Runs in a browser. It may import types of `domain`, and these files, which need nothing of Node.js. */
const browserFiles = [
  'domain/access/management-key.ts',
  'domain/access/person.ts',
  'domain/access/subject-parts.ts',
  'domain/access/trust-rule.ts',
  'domain/docs.ts',
  'domain/errors.ts',
  'domain/event/event-types.ts',
  'domain/folded-text.ts',
  'domain/key/key-prefix.ts',
  'domain/key/rate-limit.ts',
  'domain/key/search-text.ts',
  'domain/key/setting-text.ts',
  'domain/key/settings.ts',
  'domain/limits.ts',
  'domain/moment-text.ts',
  'domain/moment.ts',
  'domain/policy/duration-text.ts',
  'domain/policy/policy-violation.ts',
  'domain/receipt/receipt-page.ts',
  'domain/secret/secret-shape.ts',
  'domain/source/allowed-source.ts',
  'domain/source/coverage.ts',
  'domain/source/ip-address.ts',
  'domain/source/source-match.ts',
  'domain/usage-periods.ts',
];

/** The packages that only one folder imports. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  // Loaded only with OIDC_ISSUER.
  auth: ['openid-client'],
  store: ['@prisma', 'prisma', 'better-sqlite3', 'pg', 'pg-[^/]+'],
  // The other folders increment plain numbers: prom-client is not loaded without METRICS_PORT.
  metrics: ['prom-client'],
  traces: ['@opentelemetry'],
  // Loaded only with EXT_AUTHZ_PORT.
  gateway: ['@grpc', 'protobufjs'],
};

const pathOf = (name: string) => (name.includes('.') ? `^src/${name.replace('.', '\\.')}$` : `^src/${name}/`);

/** A package as it is resolved, or its name if it is not installed. */
const packagePaths = (names: readonly string[]) => `(?:^|/node_modules/)(?:${names.join('|')})(?:/|$)`;

const forbidden: NonNullable<IFlattenedRuleSet['forbidden']> = [
  { name: 'no circular imports, also of types', severity: 'error', from: {}, to: { circular: true } },
  ...Object.entries(allowed).map(([name, others]) => ({
    name: `${name} imports only ${others.join(', ') || 'itself'}`,
    severity: 'error' as const,
    from: { path: pathOf(name) },
    to: { path: '^src/', pathNot: [name, ...others].map(pathOf) },
  })),
  {
    name: 'domain imports no package',
    severity: 'error',
    from: { path: '^src/domain/' },
    to: { pathNot: '^src/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'dashboard imports types of domain, and files without Node.js',
    severity: 'error',
    from: { path: '^src/dashboard/' },
    to: {
      path: '^src/domain/',
      pathNot: browserFiles.map((file) => `^src/${file.replace('.', '\\.')}$`),
      dependencyTypesNot: ['type-only'],
    },
  },
  ...Object.entries(packagesOf).map(([folder, names]) => ({
    name: `only ${folder} imports ${names.join(', ')}`,
    severity: 'error' as const,
    from: { pathNot: pathOf(folder) },
    to: { path: packagePaths(names) },
  })),
  {
    name: 'only store imports its generated client, and node:sqlite',
    severity: 'error',
    from: { pathNot: '^src/store/' },
    to: { path: ['^src/store/generated/', '^(?:node:)?sqlite$'] },
  },
];

/** Type-only imports count as well. Files of packages, and generated and built files, are not read. */
export const cruiseOptions: ICruiseOptions = {
  ruleSet: { forbidden },
  validate: true,
  // TypeScript 7 has no API that dependency-cruiser could use.
  parser: 'swc',
  tsPreCompilationDeps: true,
  doNotFollow: { path: ['node_modules', '^src/store/generated/'] },
  exclude: { path: '^src/client/dist/' },
};
