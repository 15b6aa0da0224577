/** Forwards verifications that only the service can decide: the key needs signed requests, or allows host names. */
import { Slots } from '../../admission/slots.ts';
import { relevantFields, type SignedRequest } from '../../domain/signature/signed-request.ts';
import { formatIpAddress } from '../../domain/source/ip-address.ts';
import { outcomeWithoutKey, type VerificationCall } from '../../domain/verdict/verification-call.ts';
import { isVerifiedKey, verifiedFields } from '../../domain/verdict/verified-key.ts';
import { type Verdict, VerifierUnavailableError } from '../verdict.ts';
import type { ReceivedRequest } from '../verification.ts';
import { LocalAnsweredKey, type LocalOutcome, type LocalResponder } from './local-key.ts';
import { maxForwardsPerTeam, type Upstreams } from './upstreams.ts';

export class Forwards {
  readonly #upstreams: Upstreams;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  /** Each team has a share, so that a team whose host names get no DNS answer does not use all connections. */
  readonly #slots = new Slots();

  constructor(upstreams: Upstreams, timeoutMs: number, now: () => number) {
    this.#upstreams = upstreams;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Forwards a verification. The timeout starts when the verification arrives. */
  start(call: VerificationCall, teamId: string, arrivedAt: number, respond: LocalResponder): void {
    const slot = this.#slots.take([{ holder: teamId, maxSlots: maxForwardsPerTeam }]);
    if (slot.outcome !== 'taken') {
      const reason = "too many verifications of this team's keys wait for the service";
      respond.fail(new VerifierUnavailableError(`There is no verdict: ${reason}`, 1));
      return;
    }
    respond.forwards?.();
    const late = `There is no verdict: the service did not answer in ${this.#timeoutMs} ms`;
    const rest = Math.max(0, arrivedAt + this.#timeoutMs - this.#now());
    let isSettled = false;
    const settle = (callback: () => void) => {
      clearTimeout(timer);
      if (!isSettled) callback();
      isSettled = true;
    };
    const timer = setTimeout(() => settle(() => respond.fail(new VerifierUnavailableError(late))), rest);
    // Holds the slot until the connection is free again, which may be after the timeout.
    forward(this.#upstreams, call)
      .finally(slot.release)
      .then((outcome) => settle(() => respond.answer(outcome)))
      .catch((error) => settle(() => respond.fail(error)));
  }
}

/** Gets the verdict from the service, which also counts usage and applies the rate limit. */
async function forward(upstreams: Upstreams, call: VerificationCall): Promise<LocalOutcome> {
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

/** Replaces the field `body`, which a gateway sets and the service does not accept, with a digest. */
function receivedRequest({ body, bodyDigest, ...request }: SignedRequest): ReceivedRequest {
  // Nothing has compared the body. With this invalid digest, the service rejects the signature.
  if (body === 'unknown') return { ...request, bodyDigest: 'unknown' };
  // The API compares the body with the claimed digest, so the service need not.
  const digest = body === 'compared by the API' ? relevantFields(request.headers).get('content-digest') : bodyDigest;
  return digest === undefined ? request : { ...request, bodyDigest: digest };
}

function outcomeOf({ code, rateLimit, ...fields }: Verdict, secret: string): LocalOutcome {
  const key = { ...verifiedFields(fields) };
  return isVerifiedKey(key)
    ? { code, key: new LocalAnsweredKey(key), rateLimit }
    : { ...outcomeWithoutKey(code, secret), rateLimit };
}
