/** `DELETE /v1/keys/self`: revokes the key that the caller presents. */
import { randomUUID } from 'node:crypto';
import { clientNetwork } from '../domain/client-network.ts';
import type { HolderCall } from '../domain/control-plane.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { IpAddress } from '../domain/ip-address.ts';
import { isConflict } from '../domain/matching-keys.ts';
import { findKey, type KeyHolder, noKey, standingOf } from './key-holder.ts';
import type { GatewayOptions } from './options.ts';

/**
 * The maximum number of concurrent calls. Each one is a write, and no token is required. The limit keeps a flood from
 * taking more than a small share of the write capacity. A request counts only after its key was found, by the same
 * lookup that verifications use.
 */
const maxRevocations = 8;
/** The same for one IPv4 address or IPv6 /64, so that a client with several keys can't block the others. */
const maxPerSource = 4;

export class SelfRevocation {
  readonly #gateway: GatewayOptions;
  readonly #bySource = new Map<string, number>();
  /** By the ids of the keys. A repeated call waits for the revocation in progress. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(gateway: GatewayOptions) {
    this.#gateway = gateway;
  }

  /**
   * Throws UNAUTHENTICATED for anything that is not a key of this service, and for a secret that a rotation has replaced:
   * a thief of that secret must not be able to stop the holder of the new one. Throws RATE_LIMITED and UNAVAILABLE.
   */
  async perform(holder: KeyHolder): Promise<{ readonly requestId: string }> {
    const match = await findKey(this.#gateway, holder);
    const requestId = randomUUID();
    const call = { source: holder.source, requestId, now: new Date() };
    // Several teams may have imported the same secret. All of these keys are revoked.
    const keyIds = isConflict(match) ? match.currentIds : [match.id];
    if (!isConflict(match) && standingOf(match) === 'ROTATED') throw replacedSecret();
    if (!(await this.#revokeOnce(keyIds, holder.limited, call))) throw noKey();
    return { requestId };
  }

  #revokeOnce(keyIds: readonly string[], source: IpAddress | undefined, call: HolderCall): Promise<boolean> {
    const name = keyIds.join(' ');
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    const network = source === undefined ? null : clientNetwork(source);
    const ofSource = network === null ? 0 : (this.#bySource.get(network) ?? 0);
    if (this.#underWay.size >= maxRevocations || ofSource >= maxPerSource) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many revocations are under way; try again shortly.');
    }
    if (network !== null) this.#bySource.set(network, ofSource + 1);
    const revocation = this.#revokeAll(keyIds, call).finally(() => {
      this.#underWay.delete(name);
      if (network !== null) this.#leave(network);
    });
    this.#underWay.set(name, revocation);
    return revocation;
  }

  /**
   * Returns whether there was a key. One after the other: many teams can have imported the secret, and one call must not
   * make many writes at the same time. A key that cannot be revoked does not keep the others from being revoked.
   */
  async #revokeAll(keyIds: readonly string[], call: HolderCall): Promise<boolean> {
    const failures: unknown[] = [];
    let found = false;
    for (const keyId of keyIds) {
      try {
        found = (await this.#gateway.revokeOwnKey(keyId, call)) || found;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return found;
  }

  #leave(network: string): void {
    const left = (this.#bySource.get(network) ?? 1) - 1;
    if (left === 0) this.#bySource.delete(network);
    else this.#bySource.set(network, left);
  }
}

function replacedSecret(): LatchkeyError {
  return new LatchkeyError(
    'UNAUTHENTICATED',
    'This secret was replaced by a new one, which the key can be revoked with.',
  );
}
