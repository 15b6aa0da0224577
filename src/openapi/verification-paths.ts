/**
 * The verification port. Its calls are parsed by hand, for speed; a test holds what is said here against that parser,
 * call by call.
 */
import { type ErrorCode, errorTable } from '../domain/errors.ts';
import { verdictCodes } from '../domain/verdict-code.ts';
import { examples } from './examples.ts';
import { done, exactly, type JsonSchema, nullable } from './json-schema.ts';
import { headersTooLarge, refusalResponses } from './refusals.ts';

const env: JsonSchema = { type: 'string', enum: ['live', 'test'] };
const text: JsonSchema = { type: 'string' };

const verification = exactly(
  {
    key: { ...text, description: 'What was presented, as it is.' },
    env: { ...env, description: 'The environment that is served. Absent: any.' },
    sourceIp: {
      type: 'string',
      anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }],
      description:
        'The address that the request came from, without a port. Absent: not known, which a key with an allow-list refuses.',
    },
    request: {
      description: 'The request itself. Needed where the key demands signatures.',
      ...exactly(
        {
          method: { ...text, description: 'Its method.' },
          url: { ...text, description: 'Its URL, as the client wrote it.' },
          headers: {
            type: 'object',
            additionalProperties: { oneOf: [text, { type: 'array', items: text }] },
            description: 'Its headers, by name, in any case. Those that the signature does not need may be left out.',
          },
          bodyDigest: {
            ...text,
            description:
              'The digest of the body that arrived, computed by the caller, as a `Content-Digest` value (RFC 9530) with sha-256 or sha-512. Absent: no body arrived. A signed request with a body is SIGNATURE_INVALID without it.',
          },
        },
        ['method', 'url', 'headers'],
      ),
    },
  },
  ['key'],
);

const ofNobody = (schema: JsonSchema, description: string) => ({ ...nullable(schema), description });

const verdict = exactly({
  valid: { type: 'boolean', description: 'Whether the request may pass.' },
  code: { type: 'string', enum: verdictCodes, description: 'Why: the first of these, in their order, that applies.' },
  keyId: ofNobody(
    { type: 'string', format: 'uuid' },
    'The key; null, as all below, where there is none, and where imported keys of several teams match, so that none counts.',
  ),
  teamId: ofNobody({ type: 'string', format: 'uuid' }, 'The team that owns the key.'),
  name: ofNobody(text, 'The label of the key.'),
  env: ofNobody(env, 'The environment that the key is restricted to.'),
  prefix: ofNobody(text, 'The leading part of the key, safe to log.'),
  expiresAt: ofNobody(
    { type: 'string', format: 'date-time' },
    'When the key stops working; null also when it never does.',
  ),
});

const { keyId, teamId, name, prefix, expiresAt, secret } = examples;
const about = { keyId, teamId, name, env: examples.env, prefix, expiresAt };
const nobody = { keyId: null, teamId: null, name: null, env: null, prefix: null, expiresAt: null };

const verifierDetails = { UNAUTHENTICATED: 'A verifier token is needed here, one of VERIFIER_TOKENS.' };
const tooManyUnknown = { RATE_LIMITED: 'Too many unknown keys came from this source. Try again in 60 s.' };

const verify: JsonSchema = {
  operationId: 'verify',
  tags: ['Verification'],
  summary: 'Ask whether a presented key may pass',
  description:
    'Decided on a state at least as new as the moment the call arrived. A refused key is an answer, not an error: the status is 200 and `valid` is false. The token of `VERIFIER_TOKENS` is asked for wherever the port can be reached from other machines. The body is read as JSON whatever its `Content-Type`.',
  security: [{}, { verifierToken: [] }],
  requestBody: {
    required: true,
    description: 'What was presented, and the circumstances as far as they are known.',
    content: {
      'application/json': {
        schema: verification,
        examples: {
          plain: { value: { key: secret, env: 'live', sourceIp: '203.0.113.9' } },
          signed: {
            value: {
              key: secret,
              request: {
                method: 'GET',
                url: 'https://api.example.com/orders?limit=5',
                headers: {
                  'signature-input': `sig1=("@method" "@authority" "@path" "@query");created=1772366400;expires=1772366460;nonce="n0nce-of_22-characters";keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"`,
                  signature: 'sig1=:qmVqPQ2s1Q0sGdXb5mUVcxv7lEp0pGZdRmVrcPMw2tE=:',
                },
              },
            },
          },
        },
      },
    },
  },
  responses: {
    '200': {
      description: 'The verdict.',
      content: {
        'application/json': {
          schema: verdict,
          examples: {
            VALID: { value: { valid: true, code: 'VALID', ...about } },
            REVOKED: { value: { valid: false, code: 'REVOKED', ...about } },
            NOT_FOUND: { value: { valid: false, code: 'NOT_FOUND', ...nobody } },
          },
        },
      },
    },
    ...refusalResponses({
      port: 'verification',
      codes: [
        'BAD_USER_INPUT',
        'UNAUTHENTICATED',
        'PAYLOAD_TOO_LARGE',
        'RATE_LIMITED',
        'INTERNAL_SERVER_ERROR',
        'UNAVAILABLE',
      ],
      badField: { field: 'env', message: 'must be one of live, test' },
      details: { ...verifierDetails, ...tooManyUnknown },
    }),
  },
};

const revokeSelf: JsonSchema = {
  operationId: 'revokeSelf',
  tags: ['Verification'],
  summary: 'Revoke the key that is presented',
  description:
    'For whoever has found a leaked key. When this is answered, no instance says yes to the key any more; again it answers the same. Neither expiry nor allowed sources nor a demanded signature stand in its way, and no verifier token is asked for; with one, a gateway may name the source for the audit trail, in the header that `SOURCE_HEADER` names. A body is not looked at.',
  security: [{ apiKey: [] }, { apiKey: [], verifierHeader: [] }],
  responses: {
    '200': {
      description: 'It is revoked.',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
      content: { 'application/json': { schema: done, example: { ok: true } } },
    },
    ...refusalResponses({
      port: 'verification',
      codes: ['UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'],
      details: { UNAUTHENTICATED: 'The key to revoke is needed: Authorization: Bearer <key>.', ...tooManyUnknown },
    }),
  },
};

const header = (name: string, description: string, more: JsonSchema = {}): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema: text,
  ...more,
});

/** What gateways tell, each in headers of its own. */
const gatewayHeaders: readonly JsonSchema[] = [
  header('X-Original-Method', 'nginx: the method of the request that is decided on.', { example: 'GET' }),
  header('X-Original-URL', 'nginx: its URL, as the client wrote it.', {
    example: 'https://api.example.com/orders?limit=5',
  }),
  header(
    'X-Original-Content-Length',
    'nginx: the length of the body that is passed on to the API. Absent: unknown, so that a signed request is rejected unless `API_CHECKS_CONTENT_DIGEST=true`.',
    { example: '0' },
  ),
  header('X-Original-Transfer-Encoding', 'nginx: its transfer encoding.', { example: 'chunked' }),
  header('X-Forwarded-Method', 'Traefik: its method.', { example: 'GET' }),
  header('X-Forwarded-Proto', 'Traefik and Envoy: its scheme.', { example: 'https' }),
  header('X-Forwarded-Host', 'Traefik: its host.', { example: 'api.example.com' }),
  header('X-Forwarded-Uri', 'Traefik: its path and query.', { example: '/orders?limit=5' }),
  header('Signature-Input', 'Of a signed request.'),
  header('Signature', 'Of a signed request.'),
  header('Content-Digest', 'Of a signed request with a body.'),
];

const codeHeader = (codes: readonly string[]): JsonSchema => ({
  description: 'The verdict, or the code of the error.',
  required: true,
  schema: { type: 'string', enum: codes },
  example: codes[0],
});
const answerHeader = (description: string, schema: JsonSchema, example: string): JsonSchema => ({
  description,
  required: true,
  schema,
  example,
});

const forbidden = ['WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED'];
const unauthenticated = verdictCodes.filter((code) => code !== 'VALID' && !forbidden.includes(code));

function authorize(
  { operationId, summary }: { readonly operationId: string; readonly summary: string },
  place: JsonSchema,
  codes: readonly ErrorCode[],
): JsonSchema {
  return {
    operationId,
    tags: ['Verification'],
    summary,
    description:
      'Any method is answered alike. The key is the one in the `Authorization` of the original request, which the gateway passes on as it is. The source comes in the header that `SOURCE_HEADER` names. The token of `VERIFIER_TOKENS` is asked for wherever the port can be reached from other machines. Answers that gateways pass on to their clients, 200, 401 and 403, have no body.',
    security: [{ apiKey: [] }, { apiKey: [], verifierHeader: [] }],
    parameters: [place, ...gatewayHeaders],
    responses: {
      ...Object.fromEntries(codes.flatMap((code) => Object.entries(authorizeRefusal(code)))),
      ...headersTooLarge,
      '200': {
        description: 'The request may pass.',
        headers: {
          'X-Latchkey-Code': codeHeader(['VALID']),
          'X-Latchkey-Key-Id': answerHeader('The key.', { type: 'string', format: 'uuid' }, keyId),
          'X-Latchkey-Team-Id': answerHeader('The team that owns it.', { type: 'string', format: 'uuid' }, teamId),
          'X-Latchkey-Env': answerHeader('The environment that it is restricted to.', env, 'live'),
        },
      },
      '401': {
        description: 'The key is not valid; or, with UNAUTHENTICATED, the verifier token is not.',
        headers: {
          'WWW-Authenticate': { $ref: '#/components/headers/Challenge' },
          'X-Latchkey-Code': codeHeader([...unauthenticated, 'UNAUTHENTICATED']),
        },
      },
      '403': {
        description:
          'The key is valid, but not here; or, with RATE_LIMITED, it is not looked for, because too many unknown keys came from this source. It is not 429, which nginx would take for a failure of the service.',
        headers: {
          'X-Latchkey-Code': codeHeader([...forbidden, 'RATE_LIMITED']),
          'Retry-After': {
            description: 'With RATE_LIMITED: in how many seconds to try again.',
            schema: { type: 'integer', minimum: 1, maximum: 60 },
            example: 60,
          },
        },
      },
    },
  };
}

/** An error with a body, by its status. */
function authorizeRefusal(code: ErrorCode): Record<string, JsonSchema> {
  const { [errorTable[code].status]: refused = {} } = refusalResponses({
    port: 'verification',
    codes: [code],
    badField: { field: 'env', message: 'must be one of live, test' },
    details: { NOT_FOUND: 'A path below this one is for GATEWAY=envoy only.' },
    headers: { 'X-Latchkey-Code': codeHeader([code]) },
  });
  return { [errorTable[code].status]: refused };
}

const always = ['BAD_USER_INPUT', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'] as const;

export const verificationPaths: Readonly<Record<string, JsonSchema>> = {
  '/v1/verify': { post: verify },
  '/v1/keys/self': { delete: revokeSelf },
  '/v1/authorize': {
    get: authorize(
      { operationId: 'authorize', summary: 'Forward authentication, for nginx and Traefik' },
      {
        name: 'env',
        in: 'query',
        description: 'The environment that is served. Absent: any.',
        schema: env,
        example: 'live',
      },
      always,
    ),
  },
  '/v1/authorize/{env}': {
    get: authorize(
      { operationId: 'authorizeEnvoy', summary: 'External authorization, for Envoy with GATEWAY=envoy' },
      {
        name: 'env',
        in: 'path',
        required: true,
        description: 'The environment that is served, or `any`. The original path and query follow it as they are.',
        schema: { type: 'string', enum: ['live', 'test', 'any'] },
        example: 'live',
      },
      [...always, 'NOT_FOUND'],
    ),
  },
};
