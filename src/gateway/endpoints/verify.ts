/** `POST /v1/verify`: the verdict on a key is in the body of the answer, or a list of verdicts on several. */
import { bearerToken } from '../../lib/bearer-token.ts';
import type { Endpoint } from '../endpoint.ts';
import { sendError } from '../exchange.ts';
import { verifyBatch } from '../feed/pending-batch.ts';
import type { PortOptions } from '../options.ts';
import { PendingVerification } from '../pending-verification.ts';
import { checkCapacity } from '../request/check-capacity.ts';
import { readJson } from '../request/request-body.ts';
import { checkToken } from '../request/verifier-tokens.ts';
import { parseVerifyBatch, parseVerifyCall } from '../request/verify-call.ts';
import { sendVerdict } from '../verdict-answer.ts';

export function verifyEndpoint(gateway: PortOptions): Endpoint {
  return {
    route: '/v1/verify',
    methods: ['POST'],
    isTraced: true,
    answer: (exchange) => {
      const { request } = exchange;
      if (gateway.tokens !== null) checkToken(gateway.tokens, bearerToken(request.headers.authorization));
      const use = (body: unknown) => {
        if (Array.isArray(body)) {
          const questions = parseVerifyBatch(body);
          checkCapacity(gateway, exchange.caller, questions.length);
          verifyBatch(gateway.verifier, questions, exchange);
          return;
        }
        checkCapacity(gateway, exchange.caller);
        gateway.verifier.verify(parseVerifyCall(body), new PendingVerification(exchange, sendVerdict));
      };
      readJson(request, use, (error) => sendError(exchange, error));
    },
  };
}
