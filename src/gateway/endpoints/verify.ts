/** `POST /v1/verify`: the body of the answer has the verdict on one key, or a list of verdicts on several keys. */
import type { Outcome } from '../../domain/verdict/verification-call.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import { checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { countAnswer, type Exchange } from '../exchange.ts';
import type { PortOptions } from '../options.ts';
import { PendingVerification, verifyBatch } from '../pending-verification.ts';
import { readJson } from '../request/json-body.ts';
import { checkToken } from '../request/tokens.ts';
import { parseVerifyBatch, parseVerifyCall } from '../request/verify-call.ts';
import type { GatewayEndpoint } from '../router.ts';
import { sendVerdict } from '../verdict-answer.ts';

export function verifyEndpoint(gateway: PortOptions): GatewayEndpoint {
  return {
    route: '/v1/verify',
    methods: ['POST'],
    isTraced: true,
    answer: (exchange) => {
      const { request, network } = exchange;
      checkToken(gateway.tokens, bearerToken(request.headers.authorization), 'verifier');
      const use = (body: unknown) => {
        if (Array.isArray(body)) {
          const calls = parseVerifyBatch(body);
          checkCapacity(gateway, network, calls.length);
          verifyBatch(gateway.verifier, calls, exchange);
          return;
        }
        checkCapacity(gateway, network);
        gateway.verifier.verify(parseVerifyCall(body), new PendingVerification(exchange, answer, sendError));
      };
      readJson(request, use, (error) => sendError(exchange, error));
    },
  };
}

function answer(outcome: Outcome, exchange: Exchange): void {
  sendVerdict(exchange.response, outcome);
  countAnswer(exchange, outcome.code);
}
