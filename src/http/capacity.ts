/**
 * How much work an instance takes on at once. Beyond it, a caller hears so at once and can go to another instance;
 * queueing instead would make everybody's wait grow without bound, and the memory that they wait in with it.
 */
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { LatchkeyError } from '../domain/errors.ts';

export interface Capacity {
  /** Turns callers away while there is no room: before anything of their request is looked at. */
  readonly shed: RequestHandler;
  /** Takes a place until the answer has gone out. After the body has come, so that dribbling it holds none. */
  readonly enter: RequestHandler;
}

export function capacity(atMost: number, report: (error: unknown, what: string) => void): Capacity {
  let underWay = 0;

  const refuse = (): never => {
    const refusal = new LatchkeyError('UNAVAILABLE', 'Too many calls are under way; try again shortly.');
    report(refusal, 'management calls were turned away');
    throw refusal;
  };

  return {
    shed: (request, response, next) => {
      if (underWay < atMost) {
        next();
        return;
      }
      request.id = randomUUID();
      response.setHeader('x-request-id', request.id);
      refuse();
    },
    enter: (_, response, next) => {
      // Nobody is there to answer any more, and no `close` would come to give the place back.
      if (response.closed) return;
      if (underWay >= atMost) refuse();
      underWay += 1;
      response.once('close', () => {
        underWay -= 1;
      });
      next();
    },
  };
}
