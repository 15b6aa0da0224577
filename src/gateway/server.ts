/**
 * The verification port, on bare `node:http`: on this class of machine it answers six times as many requests as
 * Express, so that no framework stands in this path.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { badInput, errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import type { Outcome, Presented, Verifier } from '../verify/verifier.ts';
import { type AuthorizeRules, authorizePath, parseAuthorizeCall } from './authorize-call.ts';
import type { VerifierTokens } from './verifier-tokens.ts';
import { parseVerifyCall } from './verify-call.ts';

export interface GatewayOptions {
  readonly verifier: Verifier;
  readonly authorize: AuthorizeRules;
  /** Null where everybody who reaches the port may ask: on the loopback interface. */
  readonly tokens: VerifierTokens | null;
  readonly report: (error: unknown, what: string) => void;
}

const bodyLimit = 64 * 1024;
const forbidden: ReadonlySet<VerdictCode> = new Set(['WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED']);

export function createGateway(options: GatewayOptions): Server {
  const server = createServer({ keepAliveTimeout: 65_000, connectionsCheckingInterval: 1000 }, (request, response) => {
    try {
      route(options, request, response);
    } catch (error) {
      refuse(options, response, error);
    }
  });
  // A client that dribbles its request must not hold a connection for long.
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  return server;
}

function route(options: GatewayOptions, request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '';
  if (url === '/v1/verify') verify(options, request, response);
  else if (url.startsWith(authorizePath) && /^(?:[/?]|$)/.test(url.slice(authorizePath.length))) {
    authorize(options, request, response, url);
  } else throw new LatchkeyError('NOT_FOUND', 'There is nothing at this path.');
}

function verify(options: GatewayOptions, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    throw new LatchkeyError('METHOD_NOT_ALLOWED', 'Only POST is possible here.');
  }
  if (options.tokens !== null) checkToken(options.tokens, bearer(request.headers.authorization));
  readBody(request, response, options, (text) => {
    const presented = parseVerifyCall(parseJson(text));
    ask(options, response, presented, (outcome) => sendVerdict(response, outcome));
  });
}

function authorize(options: GatewayOptions, request: IncomingMessage, response: ServerResponse, url: string): void {
  const { headers, method = '' } = request;
  // The original request's own Authorization is in its place, so that the gateway's token has a header of its own.
  if (options.tokens !== null) checkToken(options.tokens, single(headers['x-latchkey-verifier']));
  const presented = parseAuthorizeCall({ method, url, headers }, options.authorize);
  // Gateways send no body here; should one come, it is nobody's business.
  request.resume();
  ask(options, response, presented, (outcome) => sendPermission(response, outcome));
}

function ask(
  options: GatewayOptions,
  response: ServerResponse,
  presented: Presented,
  answer: (outcome: Outcome) => void,
): void {
  options.verifier.verify(presented, {
    answer,
    fail: (error) => {
      options.report(error, 'the store could not be asked about a key');
      refuse(options, response, new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.'));
    },
  });
}

function sendVerdict(response: ServerResponse, { code, key }: Outcome): void {
  const body = key === null ? nobodys(code) : `{"valid":${code === 'VALID'},"code":"${code}",${key.described}`;
  response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}

function nobodys(code: VerdictCode): string {
  return code === 'NOT_FOUND' ? notFound : malformed;
}

const nobody = '"keyId":null,"teamId":null,"name":null,"env":null,"prefix":null,"expiresAt":null}';
const notFound = `{"valid":false,"code":"NOT_FOUND",${nobody}`;
const malformed = `{"valid":false,"code":"MALFORMED",${nobody}`;

function sendPermission(response: ServerResponse, { code, key }: Outcome): void {
  if (code === 'VALID' && key !== null) {
    response.writeHead(200, [
      'x-latchkey-code',
      code,
      'x-latchkey-key-id',
      key.id,
      'x-latchkey-team-id',
      key.teamId,
      'x-latchkey-env',
      key.env,
      'content-length',
      '0',
    ]);
  } else if (forbidden.has(code)) {
    response.writeHead(403, ['x-latchkey-code', code, 'content-length', '0']);
  } else {
    response.writeHead(401, ['x-latchkey-code', code, 'www-authenticate', 'Bearer', 'content-length', '0']);
  }
  response.end();
}

function refuse({ report }: GatewayOptions, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const refusal =
    error instanceof LatchkeyError
      ? error
      : new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
  if (refusal !== error) report(error, 'a verification failed');
  if (refusal.code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', 'Bearer');
  if (refusal.code === 'UNAVAILABLE') response.setHeader('retry-after', '1');
  // What is left of the body is not waited for.
  if (!response.req.complete) response.setHeader('connection', 'close');
  const body = JSON.stringify(problem(refusal));
  response.setHeader('content-type', 'application/problem+json').setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(errorTable[refusal.code].status).end(body);
}

function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  options: GatewayOptions,
  use: (text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
    else if (size - chunk.length <= bodyLimit) {
      chunks.length = 0;
      refuse(
        options,
        response,
        new LatchkeyError('PAYLOAD_TOO_LARGE', `The body may have at most ${bodyLimit} bytes.`),
      );
    }
  });
  request.on('end', () => {
    if (size > bodyLimit) return;
    try {
      const [first] = chunks;
      use(chunks.length === 1 && first !== undefined ? first.toString() : Buffer.concat(chunks).toString());
    } catch (error) {
      refuse(options, response, error);
    }
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badInput([{ field: 'body', message: 'must be valid JSON' }]);
  }
}

function checkToken(tokens: VerifierTokens, token: string | undefined): void {
  if (!tokens.has(token)) {
    throw new LatchkeyError('UNAUTHENTICATED', 'A verifier token is needed here, one of VERIFIER_TOKENS.');
  }
}

function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
