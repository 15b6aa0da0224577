/**
 * Revokes keys for their holders. No token is needed, so a flood must take only a small share of the writes (the attack
 * self-revocation).
 */
import { Slots } from '../admission/slots.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { LruMap } from '../lib/lru-map.ts';
import type { ControlPlane, HolderCall } from '../wire/control-plane.ts';

const maxRunning = 8;
/** Limits one source, so that a client with several keys can't take all places while revocations wait for a lease. */
const maxRunningPerSource = 4;
/** A revocation takes some milliseconds, so even the last revocation in the queue runs within a second. */
const maxWaiting = 512;
const maxWaitingPerSource = 64;
/** The number of remembered revocations, so that a repeated call needs no write. */
const maxRevoked = 10_000;

export class SelfRevocation {
  readonly #revokeOwnKey: ControlPlane['revokeOwnKey'];
  /** Sources that wait take turns. */
  readonly #slots = new Slots(maxRunning);
  /** Revocations in progress, by key id. A repeated call waits for the same revocation. */
  readonly #underWay = new Map<string, Promise<string | null>>();
  /** The keys whose revocation management has answered, with its revision. No instance accepts them anymore. */
  readonly #revoked = new LruMap<string>(maxRevoked);

  constructor(revokeOwnKey: ControlPlane['revokeOwnKey']) {
    this.#revokeOwnKey = revokeOwnKey;
  }

  /**
   * Returns the revision with which an earlier call has revoked this key. Revoking is final, and the gateway has just found
   * the key.
   */
  doneAt(keyId: string): string | undefined {
    return this.#revoked.get(keyId);
  }

  /**
   * Returns the revision of the state without the key; null if there is no such key. `source` is null for a gateway that
   * sends no source. Throws UNAVAILABLE.
   */
  async revoke(keyId: string, source: string | null, call: HolderCall): Promise<string | null> {
    let revocation = this.#underWay.get(keyId);
    if (revocation === undefined) {
      revocation = this.#inTurn(source, () => this.#revokeOwnKey(keyId, call)).finally(() =>
        this.#underWay.delete(keyId),
      );
      this.#underWay.set(keyId, revocation);
    }
    const revision = await revocation;
    if (revision !== null) this.#revoked.set(keyId, revision);
    return revision;
  }

  async #inTurn<T>(source: string | null, revoke: () => Promise<T>): Promise<T> {
    const holder = source ?? 'unnamed';
    if (this.#slots.waiting >= maxWaiting || this.#slots.waitingForShare(holder) >= maxWaitingPerSource)
      throw new LatchkeyError('UNAVAILABLE', 'Too many revocations are under way; try again shortly.');
    return await this.#slots.run({ holder, maxSlots: source === null ? maxRunning : maxRunningPerSource }, revoke);
  }
}
