/** `POST /v1/leaks`: a scanner of the operator reports leaked keys, in GitHub's format, which is checked. */
import { randomUUID } from 'node:crypto';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import type { LeakMatch } from '../../domain/leak.ts';
import { plainAddress } from '../../domain/source/forwarded-address.ts';
import { answersTo, parseMatches, wrongMatchIn } from '../../leaks/matches.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import { CapacitySlot, checkCapacity } from '../capacity.ts';
import { sendError } from '../errors.ts';
import { type Exchange, sendJson } from '../exchange.ts';
import type { GatewayOptions } from '../options.ts';
import { readJson } from '../request/json-body.ts';
import { checkToken } from '../request/tokens.ts';
import type { GatewayEndpoint } from '../router.ts';

export const leaksPath = '/v1/leaks';

/** Enough for 1,000 matches with URLs of ordinary length. Parsing that takes some milliseconds. */
const listBytes = 512 * 1024;

export function leaksEndpoint(gateway: GatewayOptions): GatewayEndpoint {
  return {
    route: leaksPath,
    methods: ['POST'],
    answer: (exchange) => {
      checkToken(gateway.tokens, bearerToken(exchange.request.headers.authorization), 'verifier');
      checkCapacity(gateway, exchange.network);
      const use = (body: unknown) => {
        const matches = parseMatches(body);
        const wrong = Array.isArray(body) ? wrongMatchIn(body) : null;
        if (wrong !== null) throw badInput([wrong]);
        checkCapacity(gateway, exchange.network);
        takeReport(gateway, exchange, matches).catch((error) => {
          if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') {
            gateway.report(error, 'a report of leaked keys was not handled');
          }
          sendError(exchange, error);
        });
      };
      readJson(exchange.request, use, (error) => sendError(exchange, error), { listBytes });
    },
  };
}

async function takeReport({ reportLeaks }: GatewayOptions, exchange: Exchange, matches: readonly LeakMatch[]) {
  const slot = new CapacitySlot(exchange);
  const requestId = randomUUID();
  const source = plainAddress(exchange.request.socket.remoteAddress);
  try {
    const areKeys = await reportLeaks(matches, { reporter: 'leak scanner', source, requestId, now: new Date() });
    sendJson(exchange, 200, JSON.stringify(answersTo(matches, areKeys)), { 'x-request-id': requestId });
  } finally {
    slot.release();
  }
}

/** An edge has no management process that could change keys. */
export const edgeLeaksEndpoint: GatewayEndpoint = {
  route: leaksPath,
  answer: () => {
    const message =
      'This is an edge. Send reports of leaked keys to the verification port (VERIFY_PORT) of the service.';
    throw new LatchkeyError('NOT_FOUND', message);
  },
};
