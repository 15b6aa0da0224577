/** `/v1/authorize`, which a gateway calls before it forwards a request. The verdict is in the status and headers. */
import type { Outcome } from '../../domain/verdict/verification-call.ts';
import { checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { countAnswer } from '../exchange.ts';
import type { PortOptions } from '../options.ts';
import { PendingVerification } from '../pending-verification.ts';
import { parseAuthorizeCall } from '../request/authorize-call.ts';
import { authorizePath } from '../request/authorize-target.ts';
import { checkToken, verifierToken } from '../request/tokens.ts';
import type { GatewayEndpoint } from '../router.ts';
import { sendNoKey, sendPermission } from '../verdict-answer.ts';

export function authorizeEndpoint(gateway: PortOptions): GatewayEndpoint {
  const { convention, keyLocations } = gateway.authorize;
  return {
    route: authorizePath,
    isPrefix: true,
    convention,
    challenge: keyLocations.challenge,
    isTraced: true,
    answer: (exchange, url) => {
      const { request, response } = exchange;
      const { headers, method = '' } = request;
      // The Authorization header contains the client's key, so the gateway sends its own token in another header.
      checkToken(gateway.tokens, verifierToken(headers), 'verifier');
      checkCapacity(gateway, exchange.network);
      const parsed = parseAuthorizeCall({ method, url, headers }, gateway.authorize);
      if (parsed.kind !== 'call') {
        countAnswer(exchange, sendNoKey(response, parsed, keyLocations));
        return;
      }
      const { call } = parsed;
      const answer = (outcome: Outcome) => {
        sendPermission(response, outcome, gateway.authorize, call);
        countAnswer(exchange, outcome.code);
      };
      gateway.verifier.verify(call, new PendingVerification(exchange, answer, sendError));
    },
  };
}
