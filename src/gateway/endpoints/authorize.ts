/** `/v1/authorize`: a gateway asks before it forwards a request. The verdict is in the status and headers. */
import { missingKey } from '../../domain/verdict/verdict-code.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer } from '../exchange.ts';
import type { PortOptions } from '../options.ts';
import { PendingVerification } from '../pending-verification.ts';
import { parseAuthorizeCall } from '../request/authorize-call.ts';
import { authorizePath } from '../request/authorize-target.ts';
import { checkCapacity } from '../request/check-capacity.ts';
import { checkToken, verifierToken } from '../request/verifier-tokens.ts';
import { sendMissingKey, sendPermission } from '../verdict-answer.ts';

export function authorizeEndpoint(gateway: PortOptions): Endpoint {
  const { convention } = gateway.authorize;
  return {
    route: authorizePath,
    isPrefix: true,
    convention,
    isTraced: true,
    answer: (exchange, url) => {
      const { request } = exchange;
      const { headers, method = '' } = request;
      // The Authorization header contains the client's key, so the gateway sends its own token in another header.
      if (gateway.tokens !== null) checkToken(gateway.tokens, verifierToken(headers));
      checkCapacity(gateway, exchange.caller);
      const presented = parseAuthorizeCall({ method, url, headers }, gateway.authorize);
      if (presented === null) {
        sendMissingKey(exchange.response);
        countAnswer(exchange, missingKey);
        return;
      }
      const respond = new PendingVerification(exchange, (response, outcome) =>
        sendPermission(response, outcome, convention, presented.scopes),
      );
      gateway.verifier.verify(presented, respond);
    },
  };
}
