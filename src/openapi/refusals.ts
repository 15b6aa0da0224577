/** The refusals of an operation as OpenAPI responses, from the one table of errors. */
import { badInput, type ErrorCode, errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import { examples } from './examples.ts';
import { exactly, type JsonSchema } from './json-schema.ts';

/** The management port names the request in each refusal, the verification port keeps no log of requests. */
export type Port = 'management' | 'verification';

const fieldErrors: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  description:
    'For BAD_USER_INPUT: what is wrong with which field. Never the value. Where more than 100 are wrong, the last entry has the field `errors` and says how many are not listed.',
  items: exactly({
    field: { type: 'string', description: 'The path of the field as it was written, such as `allowedIps[2]`.' },
    message: { type: 'string', description: 'What was expected.' },
  }),
};

const requestId: JsonSchema = {
  type: 'string',
  format: 'uuid',
  description: 'Finds the call in the log; also in the `X-Request-Id` header.',
};

const keyId: JsonSchema = {
  type: 'string',
  format: 'uuid',
  description: 'For KEY_ALREADY_CREATED: the key that the earlier call made.',
};

export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: problemSchema({ requestId }, { keyId }),
  VerificationProblem: problemSchema({}, {}),
};

type Properties = Readonly<Record<string, JsonSchema>>;

function problemSchema(more: Properties, optional: Properties): JsonSchema {
  const required: Record<string, JsonSchema> = {
    type: { type: 'string', format: 'uri', description: 'Names the kind of problem: `urn:latchkey:problem:<code>`.' },
    title: { type: 'string', description: 'The kind of problem, for people.' },
    status: { type: 'integer', description: 'The status of the answer.' },
    detail: { type: 'string', description: 'What is wrong with this very call. It may change; `code` does not.' },
    code: { type: 'string', enum: Object.keys(errorTable), description: 'The kind of problem, for programs.' },
    ...more,
  };
  return {
    description: 'A refusal, after RFC 9457.',
    ...exactly({ ...required, errors: fieldErrors, ...optional }, Object.keys(required)),
  };
}

const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

/** Of every answer of the port. */
export function headersOf(port: Port): Readonly<Record<string, JsonSchema>> {
  return port === 'management' ? requestIdHeader : {};
}

export const headers: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    description: 'Finds the call in the log.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: examples.requestId,
  },
  RetryAfter: {
    description: 'In how many seconds to try again.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 3600 },
    example: 1,
  },
  Challenge: {
    description: 'Which credentials are missing (RFC 9110, section 11.6.1).',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
};

/** What is said, word for word, where such a refusal is met first. */
const details: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'A session token is needed: Authorization: Bearer <JWT>.',
  FORBIDDEN: 'The session token does not grant manage_keys on this team.',
  KEY_NOT_FOUND: 'There is no key with this id.',
  KEY_REVOKED: "The key is revoked; it can't be changed any more.",
  SIGNING_ALREADY_ENABLED: 'Signing is enabled already. Rotate the secret to get a new one.',
  SIGNING_NOT_ENABLED: 'Signing is not enabled; there is no secret to rotate.',
  KEY_LIMIT_REACHED: 'The team has 10000 keys, and 10000 is the limit. Revoke some first.',
  KEY_ALREADY_CREATED: `An earlier call with this idempotency key made the key ${examples.keyId} and answered its secret, which is not repeated. Where that answer was lost, revoke the key and create another, with another idempotency key.`,
  PRECONDITION_FAILED: 'The key has been changed since; nothing was done. Look again.',
  IDEMPOTENCY_KEY_REUSED:
    'The idempotency key came with another request before. Choose one for each key to be created.',
  PAYLOAD_TOO_LARGE: 'The body may have at most 65536 bytes.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON, with Content-Type: application/json.',
  RATE_LIMITED: 'This caller has asked for too many operations. Try again in 60 s.',
  INTERNAL_SERVER_ERROR: 'Something went wrong on our side.',
  UNAVAILABLE: 'The store does not answer; try again shortly.',
};

export interface Refusals {
  readonly port: Port;
  readonly codes: readonly ErrorCode[];
  /** A field that may be wrong, and what is then said of it. */
  readonly badField?: { readonly field: string; readonly message: string };
  /** In other words than elsewhere. */
  readonly details?: Partial<Record<ErrorCode, string>>;
  /** Beside those of every rejection. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
}

/** What Node says itself, of any request. */
export const headersTooLarge = { '431': { $ref: '#/components/responses/HeadersTooLarge' } };

/** By status. */
export function refusalResponses(refusals: Refusals): Record<string, JsonSchema> {
  const statuses = [...new Set(refusals.codes.map((code) => errorTable[code].status))].sort((a, b) => a - b);
  const responses = statuses.map((status): [string, JsonSchema] => {
    const codes = refusals.codes.filter((code) => errorTable[code].status === status);
    return [String(status), refusalResponse(refusals, status, codes)];
  });
  return { ...Object.fromEntries(responses), ...headersTooLarge };
}

function refusalResponse(refusals: Refusals, status: number, codes: readonly ErrorCode[]): JsonSchema {
  const name = refusals.port === 'management' ? 'Problem' : 'VerificationProblem';
  return {
    description: `${codes.map((code) => errorTable[code].title).join('; or: ')}.`,
    headers: {
      ...headersOf(refusals.port),
      ...refusals.headers,
      ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: `#/components/schemas/${name}` },
            { properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(refusals, code) }])),
      },
    },
  };
}

function example({ port, badField, details: others }: Refusals, code: ErrorCode) {
  return problem(exampleRefusal(), port === 'management' ? examples.requestId : undefined);

  function exampleRefusal(): LatchkeyError {
    if (code === 'BAD_USER_INPUT' && badField !== undefined) return badInput([badField]);
    const detail = others?.[code] ?? details[code];
    if (detail === undefined) throw new Error(`what is said of ${code}?`);
    return new LatchkeyError(code, detail, code === 'KEY_ALREADY_CREATED' ? { keyId: examples.keyId } : {});
  }
}
