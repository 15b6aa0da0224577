/**
 * Admits requests to the management port: in turns, and as many at once as the process can serve. Requests above the
 * limit get an error immediately: in a queue, latency and memory would grow without bound.
 *
 * Revocations come first: a leaked key must be revocable while other callers use the whole port. Revocations have their
 * own turns and slots. While a revocation runs, other requests start less often.
 */
import { AsyncResource } from 'node:async_hooks';
import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import { RunningCosts } from '../admission/running-costs.ts';
import { type Share, type SlotAnswer, Slots } from '../admission/slots.ts';
import { Turns } from '../admission/turns.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import { shareHolderOf } from '../domain/source/client-network.ts';
import type { TakeTurn } from '../graphql/context.ts';
import { maxCost } from '../graphql/operation-limits.ts';
import { isRevocation } from '../graphql/revocation.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import { sendEarlyError } from './errors.ts';
import { healthPaths } from './health.ts';
import type { TakeBodyTurn } from './json-body.ts';
import { githubLeaksPath } from './route-of.ts';
import { sourceOf } from './source-of.ts';
import { WaitingCalls, waitingPlaces } from './waiting-calls.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `enter`. */
      takeTurn: TakeTurn;
      /**
       * Set by `enter`. Leaves the slot while the call waits, and takes one again. Throws RATE_LIMITED if too many calls
       * wait. Never settles if the client disconnects.
       */
      standAside: <Result>(wait: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
    }
  }
}

export interface Admission {
  /**
   * Starts requests in turns by address, and health checks at once. While all slots are taken, rejects requests before
   * Express reads them, except possible revocations.
   */
  readonly arrive: (serve: RequestListener) => RequestListener;
  /**
   * Takes a slot and continues in the team's turn. Releases the slot when the kernel has the response (for a revocation,
   * when the response is complete). Runs after the body is read, so that a slow client holds no slot, and before the
   * body is parsed, which takes CPU time.
   */
  readonly enter: RequestHandler;
  /** Takes a slot for a request that needs no token: pages, their files and the OpenAPI description. */
  readonly enterPublic: RequestHandler;
  /** The same for requests about sessions, with slots of their own, because some wait for the identity provider. */
  readonly enterSession: RequestHandler;
  /** The same for reports of leaked keys by GitHub, which a signature in their body authenticates. */
  readonly enterReport: RequestHandler;
  /** The same for reports whose body is large, before it is read: only as many bodies are in memory at once. */
  readonly enterLargeReport: RequestHandler;
  /** Resolves when the next part of a report may be read. Addresses take turns, because no report is authenticated yet. */
  readonly takeBodyTurn: TakeBodyTurn;
}

const health: ReadonlySet<string> = new Set(healthPaths);
/** A browser that loads the dashboard sends about ten requests at once. */
const publicSlots = { total: 256, perAddress: 64 };
const reportSlots = { total: 64, perAddress: 16 };
const largeReportSlots = { total: 16, perAddress: 4 };
/** A revocation takes milliseconds, so this many run within a second. Additional ones are ordinary calls. */
const revocationSlots = { total: 512, perCaller: 8 };

/** Two starts of each of 32 calls. Usually, the time limit of a turn ends it earlier. */
const maxStartsPerTurn = 64;
/**
 * Between starts, leaves turns of the event loop to new connections (Node accepts one per turn) and to running calls
 * (each continues once per turn). A turn without work takes microseconds.
 */
const rest = { turns: 64, ms: 5 };
/** Short enough that a series of revocations does not block other calls. */
const restWhileRevoking = { turns: 256, ms: 50 };

export function admission(
  maxCalls: number,
  requests: RequestCounters,
  report: (error: unknown, what: string) => void,
): Admission {
  let revoking = 0;
  const revocations = new Turns({ maxPerTurn: maxStartsPerTurn, rest: () => rest });
  const others = new Turns({
    maxPerTurn: maxStartsPerTurn,
    rest: () => (revoking > 0 ? restWhileRevoking : rest),
  });
  const bodies = new Turns({ maxPerTurn: 1, rest: () => rest });
  const callSlots = { total: maxCalls, perCaller: Math.ceil(maxCalls / 4) };
  const waiting = new WaitingCalls();
  const slots = { calls: new Slots(maxCalls), revocations: new Slots(revocationSlots.total) };
  const running = new RunningCosts(maxCost);

  const tooMany = (): LatchkeyError => {
    requests.turnedAway += 1;
    const error = new LatchkeyError('UNAVAILABLE', 'Too many calls are under way; try again shortly.');
    report(error, 'management calls were rejected because too many are in progress');
    return error;
  };
  const releaseOf = (slot: SlotAnswer): (() => void) => {
    if (slot.outcome === 'taken') return slot.release;
    if (slot.outcome === 'full') throw tooMany();
    const message = 'Too many calls of this caller, team or address are under way; try again shortly.';
    throw new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds: 1 });
  };

  /** Counts a call that has a slot, until it leaves the slot. */
  const hold = (release: () => void): (() => void) => {
    requests.underWay += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      requests.underWay -= 1;
      release();
    };
  };

  const enterByAddress = ({ total, perAddress } = publicSlots): RequestHandler => {
    const requests = new Slots(total);
    return (request, response, next) => {
      if (response.closed) return;
      const share = { holder: shareHolderOf(sourceOf(request)), maxSlots: perAddress };
      response.once('close', releaseOf(requests.take([share])));
      next();
    };
  };

  return {
    arrive: (serve) => (request, response) => {
      const { method, url = '', socket } = request;
      if (health.has(url)) {
        serve(request, response);
        return;
      }
      const isUrgent = isRevocationOf(method, url);
      // A GraphQL request can be a revocation, which only its body shows. A report of leaks has slots of its own.
      const mayRevoke = isUrgent || (method === 'POST' && (url.startsWith('/graphql') || url === githubLeaksPath));
      if (slots.calls.isFull && !mayRevoke) {
        sendEarlyError(response, tooMany(), url);
        return;
      }
      const turns = isUrgent ? revocations : others;
      turns.run(shareHolderOf(socket.remoteAddress), String(socket.remotePort), () => serve(request, response));
    },
    enter: (request, response, next) => {
      // The client has disconnected, so no `close` event would release the slot.
      if (response.closed) return;
      const { session, source } = response.locals.caller;
      const team = teamOf(session);
      const reserved =
        (isRevocationOf(request.method, request.path) || isRevocation(request.body)) && mayRevoke(session)
          ? slots.revocations.take(sharesOf(session, team, source, revocationSlots))
          : null;
      const isUrgent = reserved?.outcome === 'taken';
      const takeSlot = () => hold(releaseOf(slots.calls.take(sharesOf(session, team, source, callSlots))));
      let leave = isUrgent ? hold(reserved.release) : takeSlot();
      // A revocation waits only for revocations of the same team.
      const operations = turnsOf(running, isUrgent ? `revocations ${team}` : team);
      response.locals.takeTurn = operations.take;
      if (isUrgent) revoking += 1;
      let isRevoking = isUrgent;
      const endRevoking = () => {
        if (isRevoking) revoking -= 1;
        isRevoking = false;
      };
      response.once('close', () => {
        endRevoking();
        operations.drop();
        leave();
      });
      // A client that does not read its response does not slow others down. The slot limits the memory of such responses.
      response.once('prefinish', endRevoking);
      // Keeps this call's async context, with its span, because a waiting call is started by another call.
      const inTurn = (start: () => void) => others.run(team, session.subject, AsyncResource.bind(start));
      response.locals.standAside = async (wait) => {
        const result = await waiting.run(response, sharesOf(session, team, source, waitingPlaces), (signal) => {
          leave();
          return wait(signal);
        });
        if (response.closed) return await new Promise(() => undefined);
        leave = takeSlot();
        await new Promise<void>(inTurn);
        return result;
      };
      if (isUrgent) next();
      else inTurn(() => next());
    },
    enterPublic: enterByAddress(),
    enterSession: enterByAddress(),
    enterReport: enterByAddress(reportSlots),
    enterLargeReport: enterByAddress(largeReportSlots),
    takeBodyTurn: (request) =>
      new Promise((resolve) => {
        bodies.run(shareHolderOf(sourceOf(request)), String(request.socket.remotePort), resolve);
      }),
  };
}

/** A sign-out is none. The router ignores the case of a path. */
function isRevocationOf(method: string | undefined, path: string): boolean {
  return method === 'DELETE' && !path.toLowerCase().startsWith('/session');
}

/** Returns a name for the caller's teams. Callers with the same teams share turns: a team can have many callers. */
export function teamOf({ subject, teams }: Session): string {
  return teams.size === 0 ? `subject ${subject}` : [...teams.keys()].sort().join(' ');
}

/**
 * Returns the turns of one call, whose operations run one after the other. `drop` removes the waiting operation. The
 * promise of its turn then never settles.
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

interface ShareSizes {
  readonly total: number;
  readonly perCaller: number;
  /** Default: half of the total. */
  readonly perTeam?: number;
}

/**
 * Returns the shares of a caller. An address may use half of the slots, because many callers can share a proxy. A team
 * may not use more, because its operations wait for each other and could hold all slots for a long time.
 */
function sharesOf(
  { subject }: Session,
  team: string,
  source: string | null,
  { total, perCaller, perTeam = Math.ceil(total / 2) }: ShareSizes,
): readonly Share[] {
  return [
    { holder: `subject ${subject}`, maxSlots: perCaller },
    { holder: `team ${team}`, maxSlots: perTeam },
    { holder: `address ${shareHolderOf(source)}`, maxSlots: Math.ceil(total / 2) },
  ];
}

/** Returns whether the caller may revoke keys. Other callers get no reserved slots. */
function mayRevoke({ teams }: Session): boolean {
  return [...teams.values()].some((permissions) => permissions.has('manage_keys'));
}
