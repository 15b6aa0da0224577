/** Parses the calls of `POST /v1/introspect` (RFC 7662, section 2.1). */
import { badInput, type FieldError, LatchkeyError } from '../../domain/errors.ts';
import { ipAddressExpected, parseIpAddress } from '../../domain/source/ip-address.ts';
import type { VerificationCall } from '../../domain/verdict/verification-call.ts';
import { queryRequirements, type Requirements } from './authorize-target.ts';
import type { FormParameters } from './form-body.ts';
import { requiredScopes } from './verify-call.ts';

export const introspectPath = '/v1/introspect';

/** Fields of `/v1/verify`. As unknown parameters they would be ignored, and a required scope would not be checked. */
const namesInVerify = { sourceIp: 'source_ip', scopes: 'scope', key: 'token' } as const;

/** Parses the URL, in which the operator can name the environment and the scopes, as in that of `/v1/authorize`. */
export function introspectTarget(url: string): Requirements {
  const query = url.slice(introspectPath.length);
  if (query.startsWith('/')) throw new LatchkeyError('NOT_FOUND', 'There is nothing at this path.');
  return queryRequirements(query);
}

/**
 * Throws BAD_USER_INPUT with all invalid parameters, never with their values. `token_type_hint` and unknown parameters
 * are ignored (RFC 6749, section 3.2). A call has no request, so a key whose requests must be signed is inactive.
 */
export function parseIntrospectCall(form: FormParameters, target: Requirements): VerificationCall {
  const errors: FieldError[] = [];
  const reject = (field: string, message: string) => errors.push({ field, message });
  const [token = '', env, sourceIp] = [form.get('token'), form.get('env'), form.get('source_ip')];
  const source = sourceIp === undefined ? undefined : parseIpAddress(sourceIp);
  if (token === '') reject('token', 'is required');
  if (env !== undefined && env !== 'live' && env !== 'test') reject('env', 'must be one of live, test');
  if (source === null) reject('source_ip', ipAddressExpected);
  const scope = form.get('scope');
  const scopes = scope === undefined ? target.scopes : requiredScopes(scope.split(' '), 'scope', reject);
  if (scope !== undefined && target.scopes.length > 0) reject('scope', onlyOnce);
  if (env !== undefined && target.env !== undefined) reject('env', onlyOnce);
  for (const [name, right] of Object.entries(namesInVerify)) {
    if (form.has(name)) reject(name, `is named ${right} here`);
  }
  if (errors.length > 0) throw badInput(errors);
  return {
    secret: token,
    env: env === 'live' || env === 'test' ? env : target.env,
    source: source ?? undefined,
    scopes,
    request: () => undefined,
  };
}

const onlyOnce = 'must be given once, in the URL or in the body';
