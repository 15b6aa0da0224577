/** `DELETE /v1/keys/self`: revokes the key that the caller presents. */
import { LatchkeyError } from '../../domain/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer, sendError } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { checkCapacity } from '../request/check-capacity.ts';
import { keyHolder, selfPath } from '../self/key-holder.ts';
import { SelfRevocation } from '../self/revoke-self.ts';

const revokedBody = '{"ok":true}';

/**
 * Requires no verifier token: someone who found a leaked key has none. The answer says only that the key is revoked.
 */
export function revokeSelfEndpoint(gateway: GatewayOptions): Endpoint {
  const selfRevocation = new SelfRevocation(gateway);
  return {
    route: selfPath,
    methods: ['DELETE'],
    answer: (exchange) => {
      const { request, response } = exchange;
      checkCapacity(gateway, exchange.caller);
      selfRevocation.perform(keyHolder(request, gateway), exchange).then(
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
            gateway.report(error, 'a key could not be revoked for its holder');
          }
          sendError(exchange, error);
        },
      );
    },
  };
}
