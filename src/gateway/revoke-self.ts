/** `DELETE /v1/keys/self`: whoever presents a key can have it revoked. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LatchkeyError } from '../domain/errors.ts';
import { parseIpAddress } from '../domain/ip-address.ts';
import { type AuthorizeRules, sourceTextOf } from './authorize-call.ts';

export const selfPath = '/v1/keys/self';

export interface HolderCall {
  readonly source: string | null;
  readonly requestId: string;
  readonly now: Date;
}

/** Revokes the key with this secret; answers whether there is one, and only when no instance says yes to it any more. */
export type RevokeOwnKey = (secret: string, call: HolderCall) => Promise<boolean>;

/**
 * How many may be under way at once: each is a write, and nobody asks for a token here. So a flood of them takes a small
 * share of the writing at most, and nothing from verifications.
 */
const atMost = 8;

export class SelfRevocation {
  readonly #revoke: RevokeOwnKey;
  readonly #rules: AuthorizeRules;
  #underWay = 0;

  constructor(revoke: RevokeOwnKey, rules: AuthorizeRules) {
    this.#revoke = revoke;
    this.#rules = rules;
  }

  /**
   * Throws UNAUTHENTICATED, which is the same for whatever is no key of ours, and UNAVAILABLE. `trusted`: whether the
   * caller is a gateway, whose word on the source counts.
   */
  async perform({ headers, socket }: IncomingMessage, trusted: boolean): Promise<{ readonly requestId: string }> {
    const secret = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (secret === undefined) throw noKey();
    if (this.#underWay >= atMost) throw new LatchkeyError('UNAVAILABLE', 'Too many are under way; try again shortly.');
    const told = trusted ? sourceTextOf(headers, this.#rules) : undefined;
    const source = told === undefined ? (socket.remoteAddress ?? null) : parseIpAddress(told) === null ? null : told;
    const requestId = randomUUID();
    this.#underWay += 1;
    try {
      if (!(await this.#revoke(secret, { source, requestId, now: new Date() }))) throw noKey();
    } finally {
      this.#underWay -= 1;
    }
    return { requestId };
  }
}

function noKey(): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', 'The key to revoke is needed: Authorization: Bearer <key>.');
}
