/** How requests enter the management port: what is known of each is told to the admission of the process. */
import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import type { AdmittedCall, Calls } from '../admission/calls.ts';
import { Slots } from '../admission/slots.ts';
import { shareHolderOf } from '../domain/source/client-network.ts';
import { isRevocation } from '../graphql/revocation.ts';
import { healthPaths } from '../ports/readiness.ts';
import { sendEarlyError } from './errors.ts';
import type { TakeBodyTurn } from './json-body.ts';
import { githubLeaksPath } from './route-of.ts';
import { sourceOf } from './source-of.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `enter`. */
      call: AdmittedCall;
    }
  }
}

export interface Entrances {
  /**
   * Starts requests in turns by address, and health checks at once. While all slots are taken, rejects requests before
   * Express reads them, except possible revocations.
   */
  readonly arrive: (serve: RequestListener) => RequestListener;
  /**
   * Takes a slot and continues in the team's turn. Releases the slot when the kernel has the response. Runs after the
   * body is read, so that a slow client holds no slot, and before a long body is parsed, which takes CPU time.
   */
  readonly enter: RequestHandler;
  /** Takes a slot for a request that needs no token: pages, their files and the OpenAPI description. */
  readonly enterPublic: RequestHandler;
  /** The same for requests about sessions, with slots of their own, because some wait for the identity provider. */
  readonly enterSession: RequestHandler;
  /** The same for exchanges of tokens, some of which wait for the keys of an issuer. */
  readonly enterExchange: RequestHandler;
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

export function entrances(calls: Calls): Entrances {
  const enterByAddress = ({ total, perAddress } = publicSlots): RequestHandler => {
    const slots = new Slots(total);
    return (request, response, next) => {
      if (response.closed) return;
      const share = { holder: shareHolderOf(sourceOf(request)), maxSlots: perAddress };
      response.once('close', calls.accept(slots.take([share])));
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
      if (calls.isFull && !mayRevoke) sendEarlyError(response, calls.tooMany(), url);
      else calls.arrive(socket.remoteAddress, String(socket.remotePort), isUrgent, () => serve(request, response));
    },
    enter: (request, response, next) => {
      // The client has disconnected, so no `close` event would release the slot.
      if (response.closed) return;
      const call = calls.enter(
        response.locals.caller,
        isRevocationOf(request.method, request.path) || isRevocation(request.body),
      );
      response.locals.call = call;
      response.once('close', () => call.close());
      response.once('prefinish', () => call.answered());
      call.continue(() => next());
    },
    enterPublic: enterByAddress(),
    enterSession: enterByAddress(),
    enterExchange: enterByAddress(),
    enterReport: enterByAddress(reportSlots),
    enterLargeReport: enterByAddress(largeReportSlots),
    takeBodyTurn: (request) =>
      new Promise((resolve) => {
        calls.read(sourceOf(request), String(request.socket.remotePort), resolve);
      }),
  };
}

/** A sign-out is none. The router ignores the case of a path. Freezing keys is as urgent as revoking one. */
function isRevocationOf(method: string | undefined, path: string): boolean {
  const lower = path.toLowerCase();
  return method === 'DELETE' ? !lower.startsWith('/session') : method === 'POST' && lower.startsWith('/v1/fences');
}
