/** `DELETE /v1/keys/self`: revokes the key that the caller presents. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../domain/bearer-token.ts';
import { clientNetwork } from '../domain/client-network.ts';
import type { ControlPlane, HolderCall } from '../domain/control-plane.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { type IpAddress, parseIpAddress } from '../domain/ip-address.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import type { Verifier } from '../verify/verifier.ts';
import { type AuthorizeRules, sourceTextOf } from './authorize-call.ts';

export const selfPath = '/v1/keys/self';

/**
 * The maximum number of concurrent revocations. Each one is a write, and no token is required. The limit keeps a flood
 * from taking more than a small share of the write capacity. A request counts only after its key was found, by the same
 * lookup that verifications use.
 */
const maxRevocations = 8;
/** The same for one IPv4 address or IPv6 /64, so that a client with several keys can't block the others. */
const maxPerSource = 4;

export interface SelfRevocationParts {
  readonly verifier: Pick<Verifier, 'find'>;
  readonly requests: RequestCounters;
}

export class SelfRevocation {
  readonly #gateway: SelfRevocationParts;
  readonly #revoke: ControlPlane['revokeOwnKey'];
  readonly #rules: AuthorizeRules;
  readonly #bySource = new Map<string, number>();
  /** By key id. A repeated call waits for the revocation in progress. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(gateway: SelfRevocationParts, revoke: ControlPlane['revokeOwnKey'], rules: AuthorizeRules) {
    this.#gateway = gateway;
    this.#revoke = revoke;
    this.#rules = rules;
  }

  /**
   * Throws UNAUTHENTICATED for anything that is not a key of this service, RATE_LIMITED and UNAVAILABLE.
   * `isGateway`: whether the caller may be a gateway, whose source header is then trusted.
   */
  async perform(request: IncomingMessage, isGateway: boolean): Promise<{ readonly requestId: string }> {
    const secret = bearerToken(request.headers.authorization);
    if (secret === undefined) throw noKey();
    const named = isGateway ? sourceTextOf(request.headers, this.#rules) : undefined;
    const text = named ?? request.socket.remoteAddress;
    const address = text === undefined ? null : parseIpAddress(text);
    // A gateway that sends no source address is not limited: its own address stands for all its clients.
    const limited = isGateway && named === undefined ? undefined : (address ?? undefined);
    const keyIds = await this.#find(secret, limited);
    const requestId = randomUUID();
    const source = named !== undefined && address === null ? null : (text ?? null);
    const call = { source, requestId, now: new Date() };
    // Several teams may have imported the same secret. All of these keys are revoked.
    const revoked = await Promise.all(keyIds.map((keyId) => this.#revokeOnce(keyId, limited, call)));
    if (!revoked.includes(true)) throw noKey();
    return { requestId };
  }

  /** Counts against the capacity of the port, as a verification does. */
  async #find(secret: string, source: IpAddress | undefined): Promise<readonly string[]> {
    const { verifier, requests } = this.#gateway;
    requests.underWay += 1;
    try {
      return await verifier.find(secret, source);
    } finally {
      requests.underWay -= 1;
    }
  }

  #revokeOnce(keyId: string, source: IpAddress | undefined, call: HolderCall): Promise<boolean> {
    const underWay = this.#underWay.get(keyId);
    if (underWay !== undefined) return underWay;
    const network = source === undefined ? null : clientNetwork(source);
    const ofSource = network === null ? 0 : (this.#bySource.get(network) ?? 0);
    if (this.#underWay.size >= maxRevocations || ofSource >= maxPerSource) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many revocations are under way; try again shortly.');
    }
    if (network !== null) this.#bySource.set(network, ofSource + 1);
    const revocation = this.#revoke(keyId, call).finally(() => {
      this.#underWay.delete(keyId);
      if (network !== null) this.#leave(network);
    });
    this.#underWay.set(keyId, revocation);
    return revocation;
  }

  #leave(network: string): void {
    const left = (this.#bySource.get(network) ?? 1) - 1;
    if (left === 0) this.#bySource.delete(network);
    else this.#bySource.set(network, left);
  }
}

function noKey(): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', 'The key to revoke is needed: Authorization: Bearer <key>.');
}
