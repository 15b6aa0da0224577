/** Answers `envoy.service.auth.v3.Authorization/Check` with the verdict on the request that Envoy describes. */
import type { handleUnaryCall } from '@grpc/grpc-js';
import { badInput, type LatchkeyError } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/verdict/verification-call.ts';
import { checkCapacity } from '../capacity.ts';
import type { ClientNetwork } from '../client-networks.ts';
import { publicErrorOf } from '../errors.ts';
import { type CountedCall, countStatus } from '../exchange.ts';
import type { PortOptions } from '../options.ts';
import { PendingVerification } from '../pending-verification.ts';
import { type CheckAnswer, errorAnswer, noKeyAnswer, verdictAnswer } from './check-answer.ts';
import { parseCheckCall } from './check-call.ts';
import { type CheckRequest, decodeCheckRequest } from './check-request.ts';
import { metadataValue } from './metadata.ts';
import { method } from './unary-method.ts';

export const check = method('/envoy.service.auth.v3.Authorization/Check');

/** The label of metrics and traces. */
const route = 'ext_authz';

/** `currentNetwork` returns the network of the current call's connection. */
export function answerChecks(
  port: PortOptions,
  currentNetwork: () => ClientNetwork | undefined,
): handleUnaryCall<Uint8Array, Uint8Array> {
  const { requests, report, traces } = port;
  return (call, send) => {
    const network = currentNetwork();
    if (network === undefined) return;
    const span = traces?.startVerification(route, metadataValue(call.metadata, 'traceparent')) ?? null;
    const counted: CountedCall = { requests, report, network, route, startedAt: performance.now(), span };
    const answer = ({ status, verdict, bytes }: CheckAnswer) => {
      send(null, bytes);
      countStatus(counted, status, verdict);
    };
    const fail = (error: unknown) => answer(errorAnswer(publicErrorOf(error, counted), port.authorize.keyLocations));
    try {
      checkCapacity(port, network);
      verify(port, counted, decoded(call.request), answer, fail);
    } catch (error) {
      fail(error);
    }
  };
}

function verify(
  { verifier, authorize }: PortOptions,
  counted: CountedCall,
  request: CheckRequest,
  answer: (answer: CheckAnswer) => void,
  fail: (error: LatchkeyError) => void,
): void {
  const { keyLocations } = authorize;
  const parsed = parseCheckCall(request, authorize);
  if (parsed.kind !== 'call') {
    answer(noKeyAnswer(parsed, keyLocations));
    return;
  }
  const { call } = parsed;
  const onOutcome = (outcome: Outcome) => answer(verdictAnswer(outcome, request.headers, keyLocations, call));
  verifier.verify(call, new PendingVerification(counted, onOutcome, (_, error) => fail(error)));
}

function decoded(bytes: Uint8Array): CheckRequest {
  try {
    return decodeCheckRequest(bytes);
  } catch {
    throw badInput([{ field: 'CheckRequest', message: 'must be a message of envoy.service.auth.v3' }]);
  }
}
