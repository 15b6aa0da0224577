/** A call of `/v1/keys/self`. Its caller is the holder of a key, and needs no verifier token. */
import type { IncomingMessage } from 'node:http';
import { LatchkeyError } from '../../domain/errors.ts';
import { type IpAddress, parseIpAddress } from '../../domain/source/ip-address.ts';
import { verdict } from '../../domain/verdict/verdict.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import type { CachedKey, CachedMatch } from '../../verify/cached-key.ts';
import { CapacitySlot } from '../capacity.ts';
import type { Exchange } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { sourceTextOf } from '../request/authorize-call.ts';
import { verifierToken } from '../request/tokens.ts';

export const selfPath = '/v1/keys/self';

export interface KeyHolder {
  readonly secret: string;
  /** For the audit trail; null if the gateway names none that is an address. */
  readonly source: string | null;
  /** The address whose calls are limited. Undefined for a gateway that names no source, because it has many clients. */
  readonly limited: IpAddress | undefined;
}

/** Throws UNAUTHENTICATED without a key. The source header of the caller is trusted only if it may be a gateway. */
export function keyHolder(request: IncomingMessage, { tokens, authorize }: GatewayOptions): KeyHolder {
  const secret = bearerToken(request.headers.authorization);
  if (secret === undefined) throw noKey();
  const isGateway = tokens === null || tokens.has(verifierToken(request.headers));
  const named = isGateway ? sourceTextOf(request.headers, authorize) : undefined;
  const text = named ?? request.socket.remoteAddress;
  const address = text === undefined ? null : parseIpAddress(text);
  return {
    secret,
    source: named !== undefined && address === null ? null : (text ?? null),
    limited: isGateway && named === undefined ? undefined : (address ?? undefined),
  };
}

/** Counts against the capacity of the port, as a verification does. Throws UNAUTHENTICATED for an unknown key. */
export async function findKey(
  { verifier }: GatewayOptions,
  { secret, limited }: KeyHolder,
  exchange: Exchange,
): Promise<CachedMatch> {
  const slot = new CapacitySlot(exchange);
  try {
    const match = await verifier.find(secret, limited);
    if (match === undefined) throw noKey();
    return match;
  } finally {
    slot.release();
  }
}

export function noKey(): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', 'A key of this service is needed: Authorization: Bearer <key>.');
}

/** Returns the verdict of the checks that do not depend on a request. */
export function verdictWithoutRequest(key: CachedKey): VerdictCode {
  return verdict(key, {
    now: Date.now(),
    env: undefined,
    sourceAllowed: () => true,
    scopesGranted: () => true,
    signature: () => 'valid',
  });
}
