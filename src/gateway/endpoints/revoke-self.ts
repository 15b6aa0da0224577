/** `DELETE /v1/keys/self`: revokes the key that the caller presents. */
import { LatchkeyError } from '../../domain/errors.ts';
import { checkCapacity } from '../check-capacity.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer, sendError } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { SelfRevocation, selfPath } from '../revoke-self.ts';
import { verifierToken } from '../verifier-tokens.ts';

const revokedBody = '{"ok":true}';

/**
 * Requires no verifier token: someone who found a leaked key has none. The answer says only that the key is revoked.
 */
export function revokeSelfEndpoint(gateway: GatewayOptions): Endpoint {
  const { tokens, report } = gateway;
  const selfRevocation = new SelfRevocation(gateway, gateway.revokeOwnKey, gateway.authorize);
  return {
    route: selfPath,
    methods: ['DELETE'],
    answer: (exchange) => {
      const { request, response } = exchange;
      request.resume();
      checkCapacity(gateway);
      const isGateway = tokens === null || tokens.has(verifierToken(request.headers));
      selfRevocation.perform(request, isGateway).then(
        ({ requestId }) => {
          response.writeHead(200, {
            'content-type': 'application/json',
            'content-length': revokedBody.length,
            'cache-control': 'no-store',
            'x-request-id': requestId,
          });
          response.end(revokedBody);
          countAnswer(exchange);
        },
        (error) => {
          if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') {
            report(error, 'a key could not be revoked for its holder');
          }
          sendError(exchange, error);
        },
      );
    },
  };
}
