/**
 * How much work an instance takes on at once. Beyond it, a caller hears so at once and can go to another instance;
 * queueing instead would make everybody's wait grow without bound, and the memory that they wait in with it.
 */
import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import { refusalMediaType } from '../graphql/media-type.ts';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import { graphqlProblem } from './refusals.ts';

export interface Capacity {
  /**
   * Turns callers away while there is no room: before Express or anything of ours has looked at the request, so that
   * refusing costs a small part of what serving does. Health is always answered.
   */
  readonly shed: (serve: RequestListener) => RequestListener;
  /** Takes a place until the answer has gone out. After the body has come, so that dribbling it holds none. */
  readonly enter: RequestHandler;
}

/**
 * How many calls begin in one turn of the event loop. Node accepts one connection a turn: were hundreds of calls begun
 * in one, new clients would wait for seconds, and verifications on the other port with them.
 */
const beginningsPerTurn = 8;
const health = new Set(['/healthz', '/readyz']);

export function capacity(
  atMost: number,
  requests: RequestTallies,
  report: (error: unknown, what: string) => void,
): Capacity {
  const waiting: (() => void)[] = [];

  const begin = () => {
    for (const next of waiting.splice(0, beginningsPerTurn)) next();
    if (waiting.length > 0) setImmediate(begin);
  };

  const refusal = (): LatchkeyError => {
    requests.turnedAway += 1;
    const refusal = new LatchkeyError('UNAVAILABLE', 'Too many calls are under way; try again shortly.');
    report(refusal, 'management calls were turned away');
    return refusal;
  };

  return {
    shed: (serve) => (request, response) => {
      if (requests.underWay < atMost || health.has(request.url ?? '')) serve(request, response);
      else turnAway(response, refusal(), request.url?.startsWith('/graphql') ?? false);
    },
    enter: (_, response, next) => {
      // Nobody is there to answer any more, and no `close` would come to give the place back.
      if (response.closed) return;
      if (requests.underWay >= atMost) throw refusal();
      requests.underWay += 1;
      response.once('close', () => {
        requests.underWay -= 1;
      });
      if (waiting.push(next) === 1) setImmediate(begin);
    },
  };
}

function turnAway(response: ServerResponse, refusal: LatchkeyError, isGraphQL: boolean): void {
  const requestId = randomUUID();
  const body = JSON.stringify(isGraphQL ? graphqlProblem(refusal, requestId) : problem(refusal, requestId));
  response.writeHead(errorTable[refusal.code].status, {
    'content-type': isGraphQL ? refusalMediaType(response.req.headers.accept) : 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'retry-after': String(refusal.retryAfterSeconds),
    'x-request-id': requestId,
  });
  response.end(body);
  // So that the connection can be used again.
  response.req.resume();
}
