/** The tables of configuration, errors, verdicts, limits and routes in the documents agree with the code. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isEnumType, isObjectType, Kind, parse as parseDocument } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { readClientConfiguration, readConfiguration, variableNames } from '../src/config/configuration.ts';
import { secretFileVariables } from '../src/config/file-variables.ts';
import { errorTable } from '../src/domain/errors.ts';
import { permissions } from '../src/domain/key/permission.ts';
import { defaultKeyLocations } from '../src/domain/key-location.ts';
import { limits } from '../src/domain/limits.ts';
import { keyChecks, lookupChecks, rejections } from '../src/domain/verdict/checks.ts';
import { ambiguousKey, missingKey, verdictCodes } from '../src/domain/verdict/verdict-code.ts';
import { forwardedStatus } from '../src/gateway/request/authorize-call.ts';
import { costOf } from '../src/graphql/costs/field-cost.ts';
import { type DocumentSize, documentSize } from '../src/graphql/document-size.ts';
import { checkLimits, maxDocumentErrors, maxTokens } from '../src/graphql/operation-limits.ts';
import { typeDefs } from '../src/graphql/type-defs.ts';
import { routes } from '../src/rest/routes.ts';
import { cachedKey, keysInCache } from '../src/verify/cached-key.ts';
import { codeIn, sectionOf, sectionsOf, tableRows } from './support/documents.ts';
import { plainFeedKey } from './support/plain-keys.ts';

const schema = buildSchema(typeDefs);
const rowsOf = (document: string, title: string) => tableRows(sectionOf(document, title).prose);

describe('docs/reference/configuration.md', () => {
  const rows = sectionsOf('docs/reference/configuration.md').flatMap(({ prose }) => tableRows(prose));
  const documented = rows.map(([variable = '', value = '']) => ({ name: codeIn(variable)[0] ?? '', value }));

  it('has each variable that the service or the command line reads, once', () => {
    expect(documented.map(({ name }) => name).sort()).toEqual([...variableNames].sort());
  });

  it('has each variable whose value may be in a file', () => {
    const [, ...documented] = codeIn(sectionOf('docs/reference/configuration.md', 'Secrets in files').prose).slice(1);
    expect(documented.map((name) => `${name}_FILE`)).toEqual(secretFileVariables);
  });

  it('has the memory of a cached key', () => {
    const [, size = ''] =
      rows.find(([variable]) => variable === '`VERIFY_CACHE_MB`')?.[2]?.match(/about (\S+) kB/) ?? [];
    const own = { id: randomUUID(), teamId: randomUUID(), name: 'The key of a service', env: 'live' } as const;
    const key = cachedKey({ ...plainFeedKey, ...own, prefix: 'lk_live_4fJx81Qz', digest: 'a digest' });
    expect(Number(size)).toBeCloseTo(keysInCache.bytesOf(key) / 1000, 1);
  });

  it('has the default of each variable', () => {
    const { DATABASE_URL, KEY_LOCATIONS, ...plain } = readConfiguration({});
    const file = DATABASE_URL.provider === 'sqlite' ? `file:${DATABASE_URL.file}` : '';
    const places = KEY_LOCATIONS.challenge === defaultKeyLocations.challenge ? 'authorization' : '';
    const parsed = { DATABASE_URL: file, KEY_LOCATIONS: places };
    const defaults: Record<string, unknown> = { ...plain, ...readClientConfiguration({}), ...parsed };
    const actual = documented.map(({ name }) => [name, defaults[name] === undefined ? [] : [String(defaults[name])]]);
    expect(documented.map(({ name, value }) => [name, codeIn(value)])).toEqual(actual);
  });
});

describe('docs/reference/errors.md', () => {
  const entries = sectionsOf('docs/reference/errors.md').filter(({ title }) => /^[A-Z_]+$/.test(title));

  it('has one entry for each verdict and each error, with its status', () => {
    // NOT_FOUND and RATE_LIMITED are both a verdict and an error.
    const statuses = { [missingKey]: 401, AMBIGUOUS: 401, ...errorTable, ...rejections, VALID: 200 };
    const expected = Object.entries<number | { status: number }>(statuses).map(([code, entry]) => {
      return `${code} HTTP ${typeof entry === 'number' ? entry : entry.status}`;
    });
    const documented = entries.map(({ title, prose }) => `${title} ${/^HTTP \d+/m.exec(prose)?.[0]}`);
    expect(documented.sort()).toEqual(expected.sort());
  });

  it.each(entries.map(({ title, prose }) => [title, prose]))(
    'says why %s happens, what to do, and an example',
    (_, prose) => {
      expect([...(prose ?? '').matchAll(/^- \*\*(.+?)\*\*: .{8,}$/gm)].map(([, part]) => part)).toEqual([
        'Why',
        'What to do',
        'Example',
      ]);
    },
  );
});

describe('docs/reference/rest.md', () => {
  it('has each error code with its status', () => {
    const documented = rowsOf('docs/reference/rest.md', 'Errors').map(([code = '', status]) => [
      codeIn(code)[0],
      Number(status),
    ]);
    expect(documented).toEqual(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
  });

  it('has each permission', () => {
    const documented = rowsOf('docs/reference/rest.md', 'Authentication').map(
      ([permission = '']) => codeIn(permission)[0],
    );
    expect(documented.sort()).toEqual([...permissions].sort());
  });

  it('has each limit of an input', () => {
    const rowOf: Readonly<Record<keyof typeof limits, string>> = {
      sessionTokenCharacters: 'session token',
      nameCharacters: 'name',
      descriptionCharacters: 'description',
      searchCharacters: 'search text',
      presentedCharacters: 'presented key',
      allowedSources: 'allowed sources of a key',
      allowedSourceCharacters: 'allowed source',
      allowedHosts: 'host names among them',
      pageSize: 'page of a list',
      importedKeys: 'keys imported by one call',
      changedKeys: 'keys changed by one call',
      importedKeysWithViolations: 'keys imported by one call',
      changedKeysWithViolations: 'keys changed by one call',
      idempotencyKeyCharacters: 'idempotency key',
      revisions: '`If-Match` or `ifRevision`',
      headerLines: 'header lines of a request to be explained',
      scopes: 'scopes of a key',
      scopeCharacters: 'scope',
      permittedScopes: 'scopes that a policy permits',
      scopeDescriptionCharacters: 'description of such a scope',
      minPolicySeconds: 'lifetime, and age of a secret, of a policy',
      maxPolicySeconds: 'lifetime, and age of a secret, of a policy',
      externalIdCharacters: 'external id',
      ambiguousKeys: 'keys named when several have an external id',
      responsibleCharacters: 'responsible person or team',
      tags: 'tags of a key',
      tagCharacters: 'tag',
      metadataBytes: 'metadata of a key',
      metadataDepth: 'metadata of a key',
      rateLimit: 'rate limit of a key',
      rateLimitWindowSeconds: 'rate limit of a key',
      usageCounts: 'counts of usage in one answer',
      webhooks: 'webhooks of a team',
      fences: 'fences of a team',
      fenceMinutes: 'end of a fence',
      derivedLabels: 'labels of derived tokens that are counted apart, of a key',
      derivedLabelCharacters: 'label of a derived token',
      derivedSources: 'sources of a derived token',
      derivedHours: 'lifetime of a derived token',
      trustRules: 'trust rules of a team',
      members: 'members recorded of a team',
      importedMembers: 'members imported by one call',
      membersLeaving: 'members found to have left by one call',
      handedOverKeys: 'keys handed over by one call',
      trustRuleClaims: 'claims of a trust rule',
      workloadTokenHours: 'token of a workload, for `POST /v1/token`',
      claimCharacters: 'name and value of a claim, audience of a trust rule',
      managementKeys: 'management keys of a team',
      managementSourcesCharacters: 'allowed sources of a management key',
      webhookUrlCharacters: 'URL of a webhook',
      replayedEvents: 'events replayed by one call',
      pendingDeliveries: 'pending deliveries of a webhook, for a replay',
      reportedLeaks: 'leaks reported by one call',
      leakUrlCharacters: 'URL of a reported leak',
      leakTextCharacters: 'type or source of a reported leak',
      reasonCharacters: 'reason for disabling or enabling a key, or freezing keys',
    };
    const documented = new Map(
      rowsOf('docs/reference/limits.md', 'Fields and calls').map(([what = '', limit = '']) => [what, limit]),
    );
    for (const [name, value] of Object.entries(limits)) {
      const row = documented.get(rowOf[name as keyof typeof limits]) ?? '';
      expect([name, row.match(/\d[\d,]*/g)]).toEqual([name, expect.arrayContaining([value.toLocaleString('en-US')])]);
    }
  });

  it('has each route of the management port', () => {
    const documented = rowsOf('docs/reference/rest.md', 'Routes').map(([call = '']) =>
      codeIn(call)[0]?.replace(/\?.*/, ''),
    );
    const { paths } = parse(readFileSync('openapi.yaml', 'utf8'));
    const described = Object.entries<Record<string, unknown>>(paths).flatMap(([path, { servers, ...methods }]) =>
      servers === undefined
        ? Object.keys(methods)
            .filter((method) => /^(?:get|put|post|patch|delete)$/.test(method))
            .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
        : [],
    );
    expect(documented.sort()).toEqual(described.sort());
  });
});

describe('the verdicts', () => {
  const valuesOf = (name: string) => {
    const type = schema.getType(name);
    return isEnumType(type) ? type.getValues().map((value) => value.name) : [];
  };

  it('are in docs/reference/verification.md with their statuses for gateways, in the order of the checks', () => {
    const documented = rowsOf('docs/reference/verification.md', 'Codes').map(([code = '', status]) => [
      codeIn(code)[0],
      status,
    ]);
    const statuses = Object.entries(rejections).map(([code, { status }]) => [code, String(status)]);
    const nginx = `429, or ${forwardedStatus('nginx', 429)} for [nginx](../tasks/gateways/nginx.md)`;
    expect(documented).toEqual([
      [missingKey, '401'],
      [ambiguousKey, '401'],
      ...statuses.map(([code, status]) => [code, status === '429' ? nginx : status]),
      ['VALID', '200'],
    ]);
  });

  it('are in docs/tasks/signing.md, if a signature causes them', () => {
    const documented = rowsOf('docs/tasks/signing.md', 'Verdicts').map(([code = '']) => codeIn(code)[0]);
    expect(documented).toEqual(verdictCodes.filter((code) => code.startsWith('SIGNATURE_')));
  });

  it('are in schema.graphql, and so are the checks', () => {
    expect(valuesOf('VerdictCode')).toEqual(verdictCodes);
    expect(valuesOf('VerificationCheckName')).toEqual([...lookupChecks, ...keyChecks].map(({ name }) => name));
  });
});

test('docs/reference/graphql.md has each limit of an operation', () => {
  const none: DocumentSize = { depth: 0, aliases: 0, directives: 0, introspections: 0, cost: 0 };
  const rowOf: Readonly<Record<keyof DocumentSize, string>> = {
    depth: 'depth',
    aliases: 'aliases',
    directives: 'directives',
    introspections: '`__schema` and `__type`',
    cost: 'points of [cost](#cost)',
  };
  const rows = new Map(rowsOf('docs/reference/graphql.md', 'Limits').map(([what = '', limit = '']) => [what, limit]));
  const documented = (what: string) => Number(rows.get(what)?.replaceAll(',', ''));
  for (const [of, what] of Object.entries(rowOf)) {
    expect(() => checkLimits({ ...none, [of]: documented(what) })).not.toThrow();
    expect(() => checkLimits({ ...none, [of]: documented(what) + 1 })).toThrow();
  }
  expect(documented('tokens of a document')).toBe(maxTokens);
  expect(documented('listed errors of a document that is not valid')).toBe(maxDocumentErrors);
});

describe.each([
  ['Queries', 'Query'],
  ['Mutations', 'Mutation'],
] as const)('%s of docs/reference/graphql.md', (title, typeName) => {
  const type = schema.getType(typeName);
  const operations = isObjectType(type) ? Object.values(type.getFields()) : [];
  const rows = rowsOf('docs/reference/graphql.md', title).map(([name = '', _, permission = '', points = '', rest]) => ({
    name: codeIn(name)[0],
    permissions: codeIn(permission),
    points,
    rest,
  }));

  it('are those of schema.graphql, in its order, with their permissions', () => {
    const described = operations.map(({ name, description }) => ({
      name,
      permissions: codeIn(/Needs (`.*?)\./.exec(description ?? '')?.[1]?.replace(/ on .*/, '') ?? ''),
    }));
    expect(rows.map(({ name, permissions }) => ({ name, permissions }))).toEqual(described);
  });

  it('have their costs, and those whose arguments or selection can add much have an entry under Cost', () => {
    const added = rowsOf('docs/reference/graphql.md', 'Cost').flatMap(([what = '']) => codeIn(what));
    const least = { first: 0, allowedIps: [], input: {}, keys: [] };
    const hours = { from: new Date(0), to: new Date(0) };
    const actual = operations.map(({ name, type: result }) => {
      const args = name.endsWith('sage') ? hours : least;
      const { cost } = costOf(`${typeName}.${name}`, name, getNamedType(result), args);
      return [name, added.includes(name) ? `[${Math.floor(cost)} and more](#cost)` : String(Math.floor(cost))];
    });
    expect(rows.map(({ name, points }) => [name, points])).toEqual(actual);
    // An operation without a cost of its own would be free.
    expect(rows.filter(({ points }) => points === '0')).toEqual([]);
  });

  it('say which of them a REST route runs', () => {
    const run = routes.map(({ operation }) => operation.field);
    expect(rows.filter(({ rest }) => rest === 'yes').map(({ name }) => name)).toEqual(
      operations.map(({ name }) => name).filter((name) => run.includes(name)),
    );
  });
});

test.each([
  ['observedSources', '', '{ address secret firstAt lastAt acceptedByDay rejectedByDay counts { code count } }'],
  ['unlistedSources', '', '{ secret firstAt lastAt counts { code count } }'],
  [
    'previewAllowedIps',
    ', allowedIps: []',
    `{ accepted { ...S } rejected { ...S } unlisted { secret firstAt lastAt counts { code count } } } }
     fragment S on ObservedSource { address secret firstAt lastAt acceptedByDay rejectedByDay counts { code count }`,
  ],
])('docs/reference/graphql.md has the cost of %s with all fields', (field, more, selection) => {
  const id = '123e4567-e89b-42d3-a456-426614174000';
  const document = parseDocument(`{ ${field}(keyId: "${id}"${more}) ${selection} }`);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('the document has an operation');
  const { cost } = documentSize(schema, document, operation, {});
  const [, points = ''] = rowsOf('docs/reference/graphql.md', 'Cost').find(([name]) => name === `\`${field}\``) ?? [];
  const documented = Number(/^up to (\d+)/.exec(points)?.[1]);
  expect(cost).toBeLessThanOrEqual(documented);
  expect(documented - cost).toBeLessThan(10);
});
