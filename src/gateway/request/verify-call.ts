/** Parses the body of `POST /v1/verify`. Hand-written for speed: it runs for every request to a protected API. */
import { badInput, type FieldError, isFull, LatchkeyError } from '../../domain/errors.ts';
import { parseScope } from '../../domain/key/scope.ts';
import { limits } from '../../domain/limits.ts';
import type { HeaderFields, SignedRequest } from '../../domain/signature/signed-request.ts';
import { ipAddressExpected, parseIpAddress } from '../../domain/source/ip-address.ts';
import type { VerificationCall } from '../../domain/verdict/verification-call.ts';
import { isJsonObject, isStringList } from '../../lib/json-object.ts';

/** Throws BAD_USER_INPUT with all invalid fields. The error never repeats a value, because it may be the key. */
export function parseVerifyCall(body: unknown): VerificationCall {
  if (!isJsonObject(body)) throw badInput([{ field: 'body', message: 'must be a JSON object' }]);
  const { key, env, sourceIp, scopes, request } = body;
  const source = typeof sourceIp === 'string' ? parseIpAddress(sourceIp) : null;
  let errors: FieldError[] | undefined;
  const reject = (field: string, message: string) => {
    errors ??= [];
    errors.push({ field, message });
  };
  for (const name in body) {
    if (name !== 'key' && name !== 'env' && name !== 'sourceIp' && name !== 'scopes' && name !== 'request') {
      reject(name.slice(0, 64), 'is not a known field');
    }
  }
  if (typeof key !== 'string') reject('key', key === undefined ? 'is required' : 'must be a string');
  if (env !== undefined && env !== 'live' && env !== 'test') reject('env', 'must be one of live, test');
  if (sourceIp !== undefined && source === null) reject('sourceIp', ipAddressExpected);
  const required = scopes === undefined ? noScopes : requiredScopes(scopes, 'scopes', reject);
  const signed = request === undefined ? undefined : parseRequest(request, reject);
  if (errors !== undefined || typeof key !== 'string') throw badInput(errors ?? []);
  return {
    secret: key,
    env: env === 'live' || env === 'test' ? env : undefined,
    source: source ?? undefined,
    scopes: required,
    request: signed === undefined ? unsigned : () => signed,
  };
}

const maxBatch = 100;

/** Throws BAD_USER_INPUT with the invalid fields of all calls, such as `[3].key`. */
export function parseVerifyBatch(calls: readonly unknown[]): VerificationCall[] {
  if (calls.length === 0 || calls.length > maxBatch) {
    throw badInput([{ field: 'body', message: `must be a list of 1 to ${maxBatch} verifications` }]);
  }
  const [parsed, errors]: [VerificationCall[], FieldError[]] = [[], []];
  for (const [i, call] of calls.entries()) {
    if (!isJsonObject(call)) {
      errors.push({ field: `[${i}]`, message: 'must be a JSON object' });
      continue;
    }
    try {
      parsed.push(parseVerifyCall(call));
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      errors.push(...error.fields.map(({ field, message }) => ({ field: `[${i}].${field}`, message })));
    }
    if (isFull(errors)) break;
  }
  if (errors.length > 0) throw badInput(errors);
  return parsed;
}

const unsigned = () => undefined;

function parseRequest(request: unknown, reject: (field: string, message: string) => void): SignedRequest | undefined {
  if (!isJsonObject(request)) {
    reject('request', 'must be an object');
    return undefined;
  }
  const { method, url, headers, bodyDigest, ...unknown } = request;
  for (const name of Object.keys(unknown)) reject(`request.${name.slice(0, 64)}`, 'is not a known field');
  if (typeof method !== 'string') reject('request.method', 'must be a string');
  if (typeof url !== 'string') reject('request.url', 'must be a string');
  if (!isHeaders(headers))
    reject('request.headers', 'must be an object that maps header names to strings or lists of strings');
  if (bodyDigest !== undefined && typeof bodyDigest !== 'string') reject('request.bodyDigest', 'must be a string');
  if (typeof method !== 'string' || typeof url !== 'string' || !isHeaders(headers)) return undefined;
  return typeof bodyDigest === 'string' ? { method, url, headers, bodyDigest } : { method, url, headers };
}

function isHeaders(value: unknown): value is HeaderFields {
  return isJsonObject(value) && Object.values(value).every((field) => typeof field === 'string' || isStringList(field));
}

const noScopes: readonly string[] = [];

/** Parses the scopes that a request needs. `reject` is called for each error, with the path of the field. */
export function requiredScopes(
  value: unknown,
  field: string,
  reject: (field: string, message: string) => void,
): readonly string[] {
  if (!isStringList(value)) {
    reject(field, 'must be a list of strings');
    return noScopes;
  }
  if (value.length > limits.scopes) {
    reject(field, `must have at most ${limits.scopes} entries`);
    return noScopes;
  }
  for (const [i, text] of value.entries()) {
    const scope = parseScope(text);
    if (!scope.ok) reject(`${field}[${i}]`, scope.problem);
  }
  return value;
}
