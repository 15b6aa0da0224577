/**
 * Limits the concurrent work of an instance. Requests above the limit get an error immediately and can go to another
 * instance. Queueing them instead would let latency and memory grow without bound.
 */
import { AsyncResource } from 'node:async_hooks';
import type { RequestListener } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { Pace } from '../admission/pace.ts';
import { RunningCosts } from '../admission/running-costs.ts';
import { type Share, Slots } from '../admission/slots.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import { networkOf } from '../domain/source/client-network.ts';
import type { TakeTurn } from '../graphql/context.ts';
import { maxCost } from '../graphql/operation-limits.ts';
import { isRevocation } from '../graphql/revocation.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import { sendEarlyError } from './errors.ts';
import { healthPaths } from './health.ts';
import { onceDone, RevocationReserve } from './revocation-reserve.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `enter` on every request that gets past it. */
      takeTurn: TakeTurn;
    }
  }
}

export interface Capacity {
  /**
   * Rejects requests while all slots are taken, before Express or any code of ours has looked at them, so that
   * rejecting costs a fraction of what serving does. Health checks and possible revocations always pass.
   */
  readonly shed: (serve: RequestListener) => RequestListener;
  /**
   * Takes a slot until the response has been handed over to the kernel. Runs before the body is parsed, but after the
   * token has been checked and the body read, so that a slow sender holds no slot.
   */
  readonly enter: RequestHandler;
  /** The same for requests that need no token: pages, their files and the OpenAPI description. They have separate slots. */
  readonly enterPublic: RequestHandler;
}

const health: ReadonlySet<string> = new Set(healthPaths);
/** A browser that loads the dashboard sends about ten requests at once. */
const publicSlots = { total: 256, perAddress: 64 };

export function capacity(
  maxSlots: number,
  requests: RequestCounters,
  report: (error: unknown, what: string) => void,
): Capacity {
  const slots = new Slots(maxSlots);
  const publicOnes = new Slots(publicSlots.total);
  const reserve = new RevocationReserve();
  // While a revocation runs, other calls wait, for up to 50 ms at a time (pace.ts).
  let revoking = 0;
  const isRevoking = () => revoking > 0;
  const arrivals = { revocations: new Pace(), others: new Pace(isRevoking) };
  const calls = new Pace(isRevoking);
  const publicCalls = new Pace(isRevoking);
  const running = new RunningCosts(maxCost);

  const beginRevocation = (response: Response, start: () => void) => {
    revoking += 1;
    onceDone(response, () => {
      revoking -= 1;
    });
    start();
  };

  const reject = (): LatchkeyError => {
    requests.turnedAway += 1;
    const error = new LatchkeyError('UNAVAILABLE', 'Too many calls are under way; try again shortly.');
    report(error, 'management calls were turned away');
    return error;
  };

  return {
    shed: (serve) => (request, response) => {
      const { method = '', url = '' } = request;
      const address = networkOf(request.socket.remoteAddress);
      const begin = () => serve(request, response);
      if (health.has(url)) begin();
      // A GraphQL request can be a revocation, which only its body shows.
      else if (method === 'DELETE') arrivals.revocations.begin(address, begin);
      else if (!slots.isFull || (method === 'POST' && url.startsWith('/graphql')))
        arrivals.others.begin(address, begin);
      else sendEarlyError(response, reject(), url);
    },
    enter: (request, response, next) => {
      // The client has disconnected: no `close` event would follow to release the slot.
      if (response.closed) return;
      const { session, source } = response.locals.caller;
      const isUrgent = revokes(request) && mayRevoke(session);
      const holder = turnHolder(session);
      // A revocation only waits for other revocations of its team.
      const turns = turnsOf(running, isUrgent ? `revocations ${holder}` : holder);
      response.locals.takeTurn = turns.take;
      // A waiting call is started by another one. It must keep its own async context, which has its span.
      const start = AsyncResource.bind(isUrgent ? () => beginRevocation(response, next) : () => next());
      const slot = slots.take(sharesOf(session, holder, source, maxSlots));
      if (slot.outcome === 'taken') {
        countUnderWay(requests, response, () => {
          turns.drop();
          slot.release();
        });
        if (isUrgent) start();
        else calls.begin(holder, start);
      } else if (isUrgent && reserve.enter(response, session.subject, start)) {
        countUnderWay(requests, response, turns.drop);
      } else throw slot.outcome === 'full' ? reject() : shareUsed();
    },
    enterPublic: (request, response, next) => {
      if (response.closed) return;
      const address = networkOf(request.ip);
      const slot = publicOnes.take([{ holder: address, maxSlots: publicSlots.perAddress }]);
      if (slot.outcome !== 'taken') throw slot.outcome === 'full' ? reject() : shareUsed();
      response.once('close', slot.release);
      publicCalls.begin(address, next);
    },
  };
}

/**
 * The callers of a team take turns as one, because it can have any number of them. So do callers with the same teams, such
 * as the instances of a program that serves these.
 */
function turnHolder({ subject, teams }: Session): string {
  return teams.size === 0 ? `subject ${subject}` : [...teams.keys()].sort().join(' ');
}

/**
 * The turns of one call, which runs its operations one after the other. If its connection is reset while an operation
 * waits, `drop` removes the operation, and the promise of its turn never settles. A client that only closes its side may
 * wait for the answer.
 */
function turnsOf(running: RunningCosts, holder: string): { readonly take: TakeTurn; readonly drop: () => void } {
  let dropLast = (): void => undefined;
  return {
    take: async (cost) =>
      await new Promise((resolve) => {
        dropLast = running.enter(holder, cost, resolve);
      }),
    drop: () => dropLast(),
  };
}

/**
 * A caller gets a quarter of the slots, an address half, because callers behind a proxy can share an address. The callers
 * of a team get half together: their operations wait for each other, so they could hold all slots for a long time.
 */
function sharesOf({ subject }: Session, team: string, source: string | null, maxSlots: number): readonly Share[] {
  return [
    { holder: `subject ${subject}`, maxSlots: Math.ceil(maxSlots / 4) },
    { holder: `team ${team}`, maxSlots: Math.ceil(maxSlots / 2) },
    { holder: `address ${networkOf(source)}`, maxSlots: Math.ceil(maxSlots / 2) },
  ];
}

function countUnderWay(requests: RequestCounters, response: Response, release: () => void): void {
  requests.underWay += 1;
  response.once('close', () => {
    requests.underWay -= 1;
    release();
  });
}

function revokes({ method, body }: Request): boolean {
  return method === 'DELETE' || isRevocation(body);
}

/** A caller without permission to revoke keys gets no reserved capacity. */
function mayRevoke({ teams }: Session): boolean {
  return [...teams.values()].some((permissions) => permissions.has('manage_keys'));
}

function shareUsed(): LatchkeyError {
  const message = 'Too many calls of this caller, team or address are under way; try again shortly.';
  return new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds: 1 });
}
