/** `POST /v1/introspect`: a verification as token introspection (RFC 7662), for programs that speak OAuth 2.0. */
import type { Outcome } from '../../domain/verdict/verification-call.ts';
import { checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { countAnswer } from '../exchange.ts';
import { clientChallenge } from '../oauth-error.ts';
import type { PortOptions } from '../options.ts';
import { PendingVerification } from '../pending-verification.ts';
import { type FormParameters, readForm } from '../request/form-body.ts';
import { introspectPath, introspectTarget, parseIntrospectCall } from '../request/introspect-call.ts';
import { checkClient } from '../request/tokens.ts';
import type { GatewayEndpoint } from '../router.ts';
import { sendIntrospection } from '../verdict-answer.ts';

export function introspectEndpoint(gateway: PortOptions): GatewayEndpoint {
  return {
    route: introspectPath,
    methods: ['POST'],
    isPrefix: true,
    challenge: clientChallenge,
    isOAuth: true,
    isTraced: true,
    answer: (exchange, url) => {
      const { request, response, network } = exchange;
      checkClient(gateway.tokens, request.headers.authorization);
      const target = introspectTarget(url);
      const answer = (outcome: Outcome) => {
        sendIntrospection(response, outcome, gateway.issuer);
        countAnswer(exchange, outcome.code);
      };
      const use = (form: FormParameters) => {
        checkCapacity(gateway, network);
        const call = parseIntrospectCall(form, target);
        gateway.verifier.verify(call, new PendingVerification(exchange, answer, sendError));
      };
      readForm(request, use, (error) => sendError(exchange, error));
    },
  };
}
