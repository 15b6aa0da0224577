// SECURITY.md: Text in the dashboard or on a terminal, such as the name of a key
/** The OpenAPI description as it is served, and the page beside it. That it says the truth is in `statuses.test.ts`. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventActions, eventTypeOf } from '../../src/domain/event/event-types.ts';
import { limits } from '../../src/domain/limits.ts';
import { leaksPath } from '../../src/gateway/endpoints/leaks.ts';
import { selfPath } from '../../src/gateway/endpoints/self.ts';
import { authorizePath } from '../../src/gateway/request/authorize-target.ts';
import { introspectPath } from '../../src/gateway/request/introspect-call.ts';
import { parseVerifyBatch, parseVerifyCall } from '../../src/gateway/request/verify-call.ts';
import { githubLeaksPath } from '../../src/http/route-of.ts';
import { healthPaths } from '../../src/ports/readiness.ts';
import { parseIdempotencyHeader, parseIfMatch } from '../../src/rest/headers.ts';
import { openApiText } from '../../src/rest/openapi/document.ts';
import { send } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { description, problemWith } from '../support/openapi-contract.ts';
import { sampleEvent } from '../support/sample-events.ts';
import { rest, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite', { VERIFY_PORT: '4999' }));

let served: ReturnType<typeof rest> | undefined;

/** Read once: checking it blocks this process for so long that the server, which is in it, closes the idle connection. */
async function servedDocument() {
  served ??= rest(running.url, null, 'GET', '/openapi.json');
  return (await served).body;
}

it('is served to everyone, with the configured addresses of both ports, and only to GET', async () => {
  const { status, headers, body } = await rest(running.url, null, 'GET', '/openapi.json');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body.openapi).toBe('3.1.1');
  expect(body.paths['/v1/verify'].servers).toEqual([
    { url: 'http://127.0.0.1:4999', description: 'The verification port.' },
  ]);
  expect(body.servers).toEqual([{ url: running.url, description: 'The management port.' }]);
  expect(body.paths['/healthz'].servers).toEqual([...body.servers, ...body.paths['/v1/verify'].servers]);
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1:400[01]/);
  expect((await rest(running.url, null, 'POST', '/openapi.json')).status).toBe(405);
});

it('has each event that an endpoint can get among its webhooks, each with every thing described', async () => {
  const { webhooks } = await servedDocument();
  const forEndpoints = eventActions.filter((action) => action !== 'SESSION_REJECTED');
  expect(Object.keys(webhooks)).toEqual(forEndpoints.map(eventTypeOf));
  for (const action of forEndpoints) {
    const { schema } = webhooks[eventTypeOf(action)].post.requestBody.content['application/json'];
    expect(problemWith(sampleEvent(action), schema)).toBe(null);
    expect(problemWith(sampleEvent('SESSION_REJECTED'), schema)).toContain('/type must be equal to constant');
  }
  expect(undescribedIn(webhooks)).toEqual([]);
});

it('a linter finds nothing in it', async () => {
  const source = JSON.stringify(await servedDocument());
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

it('says what each array contains, and of what type the values are where null is one of them', async () => {
  expect(schemasWithoutType(await servedDocument())).toEqual([]);
});

/** The paths of schemas that generators of clients and linters reject, although JSON Schema takes them. */
function schemasWithoutType(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, items, enum: values } = value as { type?: unknown; items?: unknown; enum?: unknown };
  const isWrong =
    ([type].flat().includes('array') && items === undefined) ||
    (Array.isArray(values) && values.includes(null) && ![type].flat().includes('null'));
  const inside = Object.entries(value).flatMap(([name, part]) => schemasWithoutType(part, `${at}/${name}`));
  return isWrong ? [at, ...inside] : inside;
}

it('is what the routes, the schema and the texts say: npm run codegen writes it', () => {
  expect(readFileSync('openapi.yaml', 'utf8')).toBe(openApiText());
});

it('has every path of the verification port, and describes every thing', () => {
  const others = Object.keys(description.paths).filter((path) => 'servers' in (description.paths[path] ?? {}));
  const answered = [
    '/v1/verify',
    introspectPath,
    authorizePath,
    `${authorizePath}/{env}`,
    selfPath,
    leaksPath,
    '/v1/derive',
  ];
  expect(others.sort()).toEqual([...answered, ...healthPaths].sort());
  expect(description.paths).toHaveProperty([githubLeaksPath, 'post']);
  expect(undescribedIn(description)).toEqual([]);
});

it('states the limits of the code in what is written by hand', () => {
  const page = { schema: { maximum: limits.pageSize } };
  const scopes = { maxItems: limits.scopes };
  expect(description.components).toMatchObject({
    parameters: {
      ...{ Limit: page, DeliveryLimit: page, EventLimit: page },
      Tag: { schema: { maxItems: limits.tags } },
      NeededScopes: { schema: scopes },
    },
    schemas: { VerifyRequest: { properties: { scopes } }, Scope: { maxLength: limits.scopeCharacters } },
  });
});

/** The paths of the fields without a description. */
function undescribedIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields =
    'properties' in value && 'additionalProperties' in value ? Object.entries(Object(value.properties)) : [];
  const undescribed = fields.filter(([, field]) => !('description' in Object(field) || '$ref' in Object(field)));
  return [
    ...undescribed.map(([name]) => `${at}/${name}`),
    ...Object.entries(value).flatMap(([name, part]) => undescribedIn(part, `${at}/${name}`)),
  ];
}

describe('what it says of POST /v1/verify', () => {
  const schema = description.paths['/v1/verify']?.post?.requestBody?.content['application/json']?.schema ?? {};
  const text = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('live', 'test', 'GET'));
  const source = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4Extended(),
    text,
    fc.constantFrom('::ffff:10.0.0.1', 'fe80::1%0', '010.0.0.1', '1.2.3'),
  );
  /** Undefined goes missing on its way through JSON. */
  const rarely = fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text });
  const orJunk = (good: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 20, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
  const headers = fc.dictionary(text, orJunk(fc.oneof(text, fc.array(text, { maxLength: 2 }))), { maxKeys: 3 });
  const request = fc.record(
    { method: orJunk(text), url: orJunk(text), headers: orJunk(headers), bodyDigest: orJunk(text), other: rarely },
    { requiredKeys: ['method', 'url', 'headers'] },
  );
  const call = fc.record(
    {
      key: orJunk(text),
      env: orJunk(fc.constantFrom('live', 'test')),
      sourceIp: orJunk(source),
      scopes: orJunk(fc.array(fc.oneof(text, fc.constantFrom('orders:read', 'x')), { maxLength: 3 })),
      request: orJunk(request),
      other: rarely,
    },
    { requiredKeys: ['key'] },
  );

  const body = fc.oneof(
    { weight: 8, arbitrary: call },
    { weight: 1, arbitrary: fc.array(call, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );

  it('matches its parser for every call', () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (generated) => {
        const sent: unknown = JSON.parse(JSON.stringify(generated));
        const accepted = isTaken(() => (Array.isArray(sent) ? parseVerifyBatch(sent) : parseVerifyCall(sent)));
        taken += Number(accepted);
        expect(problemWith(sent, schema) === null).toBe(accepted);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(300);
  });
});

function isTaken(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

describe.each([
  ['Idempotency-Key', description.paths['/v1/keys']?.post, parseIdempotencyHeader],
  ['If-Match', description.paths['/v1/keys/{id}']?.patch, parseIfMatch],
])('what it says of the header %s', (name, operation, parse) => {
  const { schema = {} } = operation?.parameters?.find((parameter) => parameter.name === name) ?? {};
  const part = fc.constantFrom('"', '"', '\\', ',', ' ', '\t', '*', 'W/', '1', 'key', '\x7f', 'é', 'x'.repeat(127));

  it('matches its parser for every header', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const header = parts.join('');
        const accepted = parse(header).ok;
        taken += Number(accepted);
        expect(problemWith(header, schema) === null, header).toBe(accepted);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(30);
  });
});

it('the page beside it may load nothing from elsewhere, and is served with a nonce of its own', async () => {
  const page = await send(running.url, { path: '/openapi' });
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']+'; /);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(page.body).not.toMatch(/<script(?![^>]*\ssrc="\/)|https?:\/\//);
  // Never as a file, which would come without that policy.
  expect((await send(running.url, { path: '/openapi.html' })).status).toBe(404);
});
