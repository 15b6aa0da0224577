/** Verifications that only the service can decide: of keys whose requests must be signed, or that allow host names. */

import { relevantFields, type SignedRequest } from '../../domain/signature/signed-request.ts';
import { formatIpAddress } from '../../domain/source/ip-address.ts';
import { outcomeWithoutKey, type VerificationCall } from '../../domain/verdict/verification-call.ts';
import { isVerifiedKey, verifiedFields } from '../../domain/verdict/verified-key.ts';
import type { Verdict } from '../verdict.ts';
import type { ReceivedRequest } from '../verification.ts';
import { AnsweredKey } from './local-key.ts';
import type { LocalOutcome } from './local-responder.ts';
import type { Upstreams } from './upstreams.ts';

/** The service counts the use, and exceeding a rate limit. */
export async function forward(upstreams: Upstreams, call: VerificationCall): Promise<LocalOutcome> {
  const { secret, env, scopes, source, request } = call;
  const signed = request();
  const verdict = await upstreams.verify({
    key: secret,
    env,
    sourceIp: source === undefined ? undefined : formatIpAddress(source),
    scopes: scopes.length === 0 ? undefined : scopes,
    request: signed === undefined ? undefined : receivedRequest(signed),
  });
  return outcomeOf(verdict, secret);
}

/** Replaces the field `body` of a gateway, which the service does not accept from callers, by a digest. */
function receivedRequest({ body, bodyDigest, ...request }: SignedRequest): ReceivedRequest {
  // Nothing compares the body. With an invalid digest, the service rejects the signature.
  if (body === 'unknown') return { ...request, bodyDigest: 'unknown' };
  // The API compares the body with the claimed digest, so the service need not.
  const digest = body === 'compared by the API' ? relevantFields(request.headers).get('content-digest') : bodyDigest;
  return digest === undefined ? request : { ...request, bodyDigest: digest };
}

function outcomeOf({ code, rateLimit, ...fields }: Verdict, secret: string): LocalOutcome {
  const key = { ...verifiedFields(fields) };
  return isVerifiedKey(key)
    ? { code, key: new AnsweredKey(key), rateLimit }
    : { ...outcomeWithoutKey(code, secret), rateLimit };
}
