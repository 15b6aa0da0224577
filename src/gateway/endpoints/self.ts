/** `/v1/keys/self`: the holder of a key reads its settings, or revokes the key. These calls do not count as usage. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errorsPath, LatchkeyError } from '../../domain/errors.ts';
import { findPresentedKey, type KeyLocations } from '../../domain/key-location.ts';
import { problemMediaType, rejectionProblem } from '../../domain/problem.ts';
import { clientNetwork } from '../../domain/source/client-network.ts';
import { parseForwardedAddress } from '../../domain/source/forwarded-address.ts';
import { formatIpAddress, type IpAddress } from '../../domain/source/ip-address.ts';
import { type RejectionCode, verdict } from '../../domain/verdict/checks.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { type CachedKey, describedFields } from '../../verify/cached-key.ts';
import { CapacitySlot, checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { type Exchange, sendJson } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { sourceTextOf } from '../request/authorize-call.ts';
import { verifierToken } from '../request/tokens.ts';
import type { GatewayEndpoint } from '../router.ts';
import { SelfRevocation } from '../self-revocation.ts';

export const selfPath = '/v1/keys/self';

interface KeyHolder {
  readonly secret: string;
  /** Where the port expects keys. */
  readonly keyLocations: KeyLocations;
  /** The address for the audit trail; null if it is not known. */
  readonly source: string | null;
  /** The address whose calls are limited; undefined for a gateway that sends no source, because it has many clients. */
  readonly limited: IpAddress | undefined;
}

/** These endpoints require no verifier token, because someone who found a leaked key has none. */
export function selfEndpoints(gateway: GatewayOptions): GatewayEndpoint[] {
  const revocation = new SelfRevocation(gateway.revokeOwnKey);
  const endpoint = (
    methods: readonly string[],
    failure: string,
    answer: (exchange: Exchange, match: CachedKey, holder: KeyHolder) => Promise<void> | void,
  ): GatewayEndpoint => ({
    route: selfPath,
    methods,
    challenge: gateway.authorize.keyLocations.challenge,
    answer: (exchange) => {
      checkCapacity(gateway, exchange.network);
      const holder = keyHolder(exchange.request, gateway);
      const answered = findKey(gateway, holder, exchange).then((match) => answer(exchange, match, holder));
      answered.catch((error) => {
        if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') gateway.report(error, failure);
        sendError(exchange, error);
      });
    },
  });
  return [
    endpoint(['DELETE'], 'a key could not be revoked for its holder', (exchange, match, holder) =>
      revoke(revocation, exchange, match, holder),
    ),
    endpoint(['GET', 'HEAD'], 'a key could not be shown to its holder', sendKey),
  ];
}

/** Throws UNAUTHENTICATED without a key and with two. Trusts the source header only if the caller may be a gateway. */
function keyHolder(request: IncomingMessage, { tokens, authorize }: GatewayOptions): KeyHolder {
  const { keyLocations } = authorize;
  const presented = findPresentedKey(request.headers, keyLocations);
  if (presented.kind === 'missing') throw noKey({ keyLocations });
  if (presented.kind === 'ambiguous') throw new LatchkeyError('UNAUTHENTICATED', presented.detail);
  const { address, limited } = callerAddress(request, { tokens, authorize });
  return {
    secret: presented.key,
    keyLocations,
    source: address === null ? null : formatIpAddress(address),
    limited,
  };
}

/** Returns where a call comes from, as a gateway says or as the connection shows, and whose calls are limited. */
export function callerAddress(
  request: IncomingMessage,
  { tokens, authorize }: Pick<GatewayOptions, 'tokens' | 'authorize'>,
): { readonly address: IpAddress | null; readonly limited: IpAddress | undefined } {
  const isGateway = tokens === null || tokens.has(verifierToken(request.headers));
  const named = isGateway ? sourceTextOf(request.headers, authorize) : undefined;
  const address = parseForwardedAddress(named ?? request.socket.remoteAddress ?? '');
  return { address, limited: isGateway && named === undefined ? undefined : (address ?? undefined) };
}

/** Holds a slot of the port during the look-up, like a verification. Throws UNAUTHENTICATED for an unknown key. */
async function findKey({ verifier }: GatewayOptions, holder: KeyHolder, exchange: Exchange) {
  const slot = new CapacitySlot(exchange);
  try {
    const match = await verifier.find(holder.secret, holder.limited);
    if (match === undefined) throw noKey(holder);
    return match;
  } finally {
    slot.release();
  }
}

async function revoke(
  revocation: SelfRevocation,
  exchange: Exchange,
  match: CachedKey,
  holder: KeyHolder,
): Promise<void> {
  const { source, limited } = holder;
  if (match.derived !== null) throw onlyKeys();
  // A thief of a replaced secret must not be able to revoke the key, which the new secret's holder still uses.
  if (verdictWithoutRequest(match) === 'ROTATED') throw replacedSecret();
  const requestId = randomUUID();
  const confirm = (revision: string) => {
    const headers = { 'x-request-id': requestId, 'latchkey-revision': revision };
    if (!exchange.response.destroyed) sendJson(exchange, 200, '{"ok":true}', headers);
  };
  // A key that is already revoked authenticates nobody, so floods of such calls must not delay others.
  const doneAt = revocation.doneAt(match.id);
  if (doneAt !== undefined) {
    exchange.pace(() => confirm(doneAt));
    return;
  }
  const network = limited === undefined ? null : clientNetwork(limited);
  const revision = await revocation.revoke(match.id, network, { source, requestId, now: new Date() });
  if (revision === null) throw noKey(holder);
  confirm(revision);
}

/** Sends the settings, except the team, the external id and the metadata, which are not for the holder. */
function sendKey(exchange: Exchange, match: CachedKey): void {
  const code = verdictWithoutRequest(match);
  if (code !== 'VALID') {
    sendRejection(exchange, code);
    return;
  }
  const { name, env, prefix, scopes, expiresAt, secret } = describedFields(match);
  const settings = { name, env, prefix, scopes, expiresAt, rateLimit: match.rateLimit, secret };
  sendJson(exchange, 200, JSON.stringify(settings));
}

/** Returns the verdict of the checks that do not depend on a request. */
function verdictWithoutRequest(key: CachedKey): VerdictCode {
  return verdict(key, {
    now: Date.now(),
    env: undefined,
    sourceAllowed: () => true,
    scopesGranted: () => true,
    signature: () => 'valid',
  });
}

function sendRejection(exchange: Exchange, code: RejectionCode): void {
  const problem = rejectionProblem(code, { status: 401, errorsUrl: errorsPath });
  const headers = { 'content-type': problemMediaType, 'www-authenticate': exchange.challenge };
  sendJson(exchange, problem.status, JSON.stringify(problem), headers);
}

function noKey({ keyLocations }: Pick<KeyHolder, 'keyLocations'>): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', `A key of this service is needed: ${keyLocations.instruction}.`);
}

function onlyKeys(): LatchkeyError {
  return new LatchkeyError('FORBIDDEN', "A derived token can't revoke its key. Present the secret of the key.");
}

function replacedSecret(): LatchkeyError {
  const message = 'This secret was replaced by a new one, which the key can be revoked with.';
  return new LatchkeyError('UNAUTHENTICATED', message);
}
