/** `GET /v1/keys/self`: shows the holder of a key its settings. The call does not count as a use of the key. */
import { LatchkeyError } from '../../domain/errors.ts';
import { isConflict } from '../../domain/secret/matching-keys.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import { type CachedKey, type CachedMatch, describedFields } from '../../verify/cached-key.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer, type Exchange, sendError } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { checkCapacity } from '../request/check-capacity.ts';
import { findKey, keyHolder, noKey, selfPath, standingOf } from '../self/key-holder.ts';

export function showSelfEndpoint(gateway: GatewayOptions): Endpoint {
  return {
    route: selfPath,
    methods: ['GET', 'HEAD'],
    answer: (exchange) => {
      checkCapacity(gateway, exchange.caller);
      const shown = findKey(gateway, keyHolder(exchange.request, gateway), exchange).then((match) =>
        sendKey(exchange, match),
      );
      shown.catch((error) => {
        if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') {
          gateway.report(error, 'a key could not be shown to its holder');
        }
        sendError(exchange, error);
      });
    },
  };
}

function sendKey(exchange: Exchange, match: CachedMatch): void {
  if (!isConflict(match)) {
    const code = standingOf(match);
    if (code === 'VALID') send(exchange, 200, 'application/json', settingsOf(match));
    else sendRejection(exchange, code);
  } else if (match.revoked) {
    sendRejection(exchange, 'REVOKED');
  } else {
    throw noKey();
  }
}

/** Without the team, the external id and the metadata, which are not for the holder. */
function settingsOf(key: CachedKey): object {
  const { name, env, prefix, scopes, expiresAt, secret } = describedFields(key);
  return { name, env, prefix, scopes, expiresAt, rateLimit: key.rateLimit, secret };
}

const details: Partial<Record<VerdictCode, string>> = {
  REVOKED: 'The key is revoked.',
  ROTATED: 'The key was replaced by a new one.',
  DISABLED: 'The key is disabled.',
  EXPIRED: 'The key has expired.',
};

function sendRejection(exchange: Exchange, code: VerdictCode): void {
  const type = `urn:latchkey:problem:${code}`;
  const problem = { type, title: 'The key is not valid', status: 401, detail: details[code], code };
  exchange.response.setHeader('www-authenticate', 'Bearer');
  send(exchange, problem.status, 'application/problem+json', problem);
}

function send(exchange: Exchange, status: number, type: string, body: object): void {
  const text = JSON.stringify(body);
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' };
  exchange.response.writeHead(status, headers).end(text);
  countAnswer(exchange);
}
