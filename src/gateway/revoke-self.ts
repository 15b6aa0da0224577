/** `DELETE /v1/keys/self`: a caller who presents a key can have it revoked. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clientNetwork } from '../domain/client-network.ts';
import type { ControlPlane, HolderCall } from '../domain/control-plane.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { type IpAddress, parseIpAddress } from '../domain/ip-address.ts';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import type { Verifier } from '../verify/verifier.ts';
import { type AuthorizeRules, sourceTextOf } from './authorize-call.ts';

export const selfPath = '/v1/keys/self';

/**
 * How many may be under way at once: each is a write, and no token is asked for here. So a flood of them takes a small
 * share of the writing at most, and nothing from verifications. Keys are looked for as verifications do it, and take a
 * place only once they are found.
 */
const maxRevocations = 8;
/** Of these, of one IPv4 address or IPv6 /64: a holder of several keys can't keep others out. */
const maxOfOneSource = 4;

export interface SelfRevocationParts {
  readonly verifier: Pick<Verifier, 'find'>;
  readonly requests: RequestTallies;
}

export class SelfRevocation {
  readonly #gateway: SelfRevocationParts;
  readonly #revoke: ControlPlane['revokeOwnKey'];
  readonly #rules: AuthorizeRules;
  readonly #bySource = new Map<string, number>();
  /** By the key's id. Who repeats a call while it is under way waits for that one. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(gateway: SelfRevocationParts, revoke: ControlPlane['revokeOwnKey'], rules: AuthorizeRules) {
    this.#gateway = gateway;
    this.#revoke = revoke;
    this.#rules = rules;
  }

  /**
   * Throws UNAUTHENTICATED, which is the same for whatever is not a key of ours, RATE_LIMITED and UNAVAILABLE.
   * `isGateway`: whether the caller may be a gateway, whose word on the source counts.
   */
  async perform(request: IncomingMessage, isGateway: boolean): Promise<{ readonly requestId: string }> {
    const secret = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (secret === undefined) throw noKey();
    const named = isGateway ? sourceTextOf(request.headers, this.#rules) : undefined;
    const text = named ?? request.socket.remoteAddress;
    const address = text === undefined ? null : parseIpAddress(text);
    // The address of a gateway that names no source is that of all who come through it.
    const limited = isGateway && named === undefined ? undefined : (address ?? undefined);
    const keyIds = await this.#find(secret, limited);
    const requestId = randomUUID();
    const source = named !== undefined && address === null ? null : (text ?? null);
    const call = { source, requestId, now: new Date() };
    // Several, where teams imported the same secret: it is revoked, so all of them are.
    const revoked = await Promise.all(keyIds.map((keyId) => this.#revokeOnce(keyId, limited, call)));
    if (!revoked.includes(true)) throw noKey();
    return { requestId };
  }

  /** Takes a place of the port, as a verification does. */
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
    if (this.#underWay.size >= maxRevocations || ofSource >= maxOfOneSource) {
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
