/** `/v1/keys/self`: the holder of a key reads its settings, or revokes it. The calls do not count as use of the key. */
import { LatchkeyError } from '../../domain/errors.ts';
import { problemMediaType, problemOf } from '../../domain/problem.ts';
import { isConflict } from '../../domain/secret/matching-keys.ts';
import { type RejectionCode, rejections } from '../../domain/verdict/checks.ts';
import { type CachedMatch, describedFields } from '../../verify/cached-key.ts';
import { checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { type Exchange, sendJson } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import type { Endpoint } from '../router.ts';
import { findKey, type KeyHolder, keyHolder, noKey, selfPath, verdictWithoutRequest } from '../self/key-holder.ts';
import { SelfRevocation } from '../self/self-revocation.ts';

/**
 * They require no verifier token: someone who found a leaked key has none. The answer to a revocation says only that the
 * key is revoked.
 */
export function selfEndpoints(gateway: GatewayOptions): Endpoint[] {
  const revocation = new SelfRevocation(gateway);
  const endpoint = (
    methods: readonly string[],
    failure: string,
    perform: (exchange: Exchange, holder: KeyHolder) => Promise<void>,
  ): Endpoint => ({
    route: selfPath,
    methods,
    answer: (exchange) => {
      checkCapacity(gateway, exchange.caller);
      perform(exchange, keyHolder(exchange.request, gateway)).catch((error) => {
        if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') gateway.report(error, failure);
        sendError(exchange, error);
      });
    },
  });
  return [
    endpoint(['DELETE'], 'a key could not be revoked for its holder', async (exchange, holder) => {
      const { requestId } = await revocation.perform(holder, exchange);
      sendJson(exchange, 200, '{"ok":true}', { 'x-request-id': requestId });
    }),
    endpoint(['GET', 'HEAD'], 'a key could not be shown to its holder', async (exchange, holder) =>
      sendKey(exchange, await findKey(gateway, holder, exchange)),
    ),
  ];
}

/** Sends the settings without the team, the external id and the metadata, which are not for the holder. */
function sendKey(exchange: Exchange, match: CachedMatch): void {
  if (isConflict(match)) {
    if (!match.revoked) throw noKey();
    sendRejection(exchange, 'REVOKED');
    return;
  }
  const code = verdictWithoutRequest(match);
  if (code !== 'VALID') {
    sendRejection(exchange, code);
    return;
  }
  const { name, env, prefix, scopes, expiresAt, secret } = describedFields(match);
  const settings = { name, env, prefix, scopes, expiresAt, rateLimit: match.rateLimit, secret };
  sendJson(exchange, 200, JSON.stringify(settings));
}

function sendRejection(exchange: Exchange, code: RejectionCode): void {
  const problem = problemOf(code, { ...rejections[code], status: 401 });
  const headers = { 'content-type': problemMediaType, 'www-authenticate': 'Bearer' };
  sendJson(exchange, problem.status, JSON.stringify(problem), headers);
}
