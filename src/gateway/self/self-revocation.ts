/** `DELETE /v1/keys/self`: revokes the key that the caller presents. */
import { randomUUID } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.ts';
import { isConflict } from '../../domain/secret/matching-keys.ts';
import { clientNetwork } from '../../domain/source/client-network.ts';
import type { IpAddress } from '../../domain/source/ip-address.ts';
import { LruMap } from '../../lib/lru-map.ts';
import type { HolderCall } from '../../wire/control-plane.ts';
import type { Exchange } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { findKey, type KeyHolder, noKey, verdictWithoutRequest } from './key-holder.ts';
import { RevocationQueue } from './revocation-queue.ts';

/** Revoked keys that are remembered, so that a repeated call needs no write. */
const maxRevoked = 10_000;

export class SelfRevocation {
  readonly #gateway: GatewayOptions;
  readonly #queue = new RevocationQueue();
  /** By the ids of the keys. A repeated call waits for the revocation in progress. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** By the ids of the keys: revocations that management has answered, so that no instance accepts the keys anymore. */
  readonly #revoked = new LruMap<true>(maxRevoked);

  constructor(gateway: GatewayOptions) {
    this.#gateway = gateway;
  }

  /**
   * Throws UNAUTHENTICATED for anything that is not a key of this service, and for a secret that a rotation has replaced:
   * a thief of that secret must not be able to stop the holder of the new one. Throws RATE_LIMITED and UNAVAILABLE.
   */
  async perform(holder: KeyHolder, exchange: Exchange): Promise<{ readonly requestId: string }> {
    // Requests with unknown keys must not take up the queue.
    const match = await findKey(this.#gateway, holder, exchange);
    const requestId = randomUUID();
    const call = { source: holder.source, requestId, now: new Date() };
    // Several teams may have imported the same secret. All of these keys are revoked.
    const keyIds = isConflict(match) ? match.currentIds : [match.id];
    if (!isConflict(match) && verdictWithoutRequest(match) === 'ROTATED') throw replacedSecret();
    if (!(await this.#revokeOnce(keyIds, holder.limited, call))) throw noKey();
    return { requestId };
  }

  async #revokeOnce(keyIds: readonly string[], source: IpAddress | undefined, call: HolderCall): Promise<boolean> {
    const name = keyIds.join(' ');
    // Revoking is final, and `match` is of a state in which the keys exist.
    if (this.#revoked.get(name) === true) return true;
    let revocation = this.#underWay.get(name);
    if (revocation === undefined) {
      const network = source === undefined ? null : clientNetwork(source);
      revocation = this.#queue
        .run(network, () => this.#revokeAll(keyIds, call))
        .finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, revocation);
    }
    const found = await revocation;
    if (found) this.#revoked.set(name, true);
    return found;
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
}

function replacedSecret(): LatchkeyError {
  return new LatchkeyError(
    'UNAUTHENTICATED',
    'This secret was replaced by a new one, which the key can be revoked with.',
  );
}
