/** A plugin for Fastify 5. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RequestPayload } from 'fastify';
import { createAuthenticate, type ReceivedBody } from './middleware/authenticate.ts';
import { withPlainAddresses } from './middleware/node-request.ts';
import { type AuthenticationOptions, endpointOptions } from './middleware/options.ts';
import type { ProblemAnswer } from './middleware/problem-answer.ts';
import { rateLimitHeaders } from './middleware/rate-limit-headers.ts';
import { createScopeCheck, type RequireScopesOptions } from './middleware/scope-check.ts';
import type { AuthenticatedKey } from './verdict.ts';
import { createVerifier, type Verifier } from './verify.ts';

export type { AuthenticatedKey, VerifiedKey } from './verdict.ts';
export { VerifierRejectedError, VerifierUnavailableError } from './verdict.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireApiKey` if the request passes. Hooks can read it from `preValidation` on. */
    apiKey: AuthenticatedKey | null;
  }
}

export interface RequireApiKeyOptions extends AuthenticationOptions<FastifyRequest> {
  /**
   * The IP address of the caller. Default: `request.ip`, which follows the application's `trustProxy`. A port, brackets
   * and a zone are left out; a text that is not an address counts as no address.
   */
  readonly sourceIp?: ((request: FastifyRequest) => string | undefined) | undefined;
}

const plugin: FastifyPluginAsync<RequireApiKeyOptions> = async (app, options) => {
  const { sourceIp = defaultSource, verifier = ownVerifier(app, options) } = options;
  const authenticate = createAuthenticate(verifier, options);
  app.decorateRequest('apiKey', null);
  app.addHook('preParsing', async (request, reply, payload) => {
    let rest = payload;
    const received = {
      method: request.method,
      origin: () => `${request.protocol}://${authorityOf(request)}`,
      target: request.originalUrl,
      headers: request.headers,
      rawHeaders: request.raw.rawHeaders,
      sourceIp: sourceIp(request),
      readBody: async (limitBytes: number) => {
        const body = await readPayload(payload, limitBytes);
        if (body instanceof Uint8Array) rest = payloadOf(body);
        return body;
      },
    };
    const outcome = await authenticate(received, request);
    if (outcome.kind === 'authenticated') {
      request.apiKey = outcome.key;
      reply.headers(rateLimitHeaders(outcome.key));
      return rest;
    }
    if (outcome.kind === 'gone') throw Object.assign(new Error('The body could not be read'), { statusCode: 400 });
    // Discards the rest of the body. Node discards it only if nothing has started to read it.
    payload.resume();
    return sendProblem(outcome.answer, reply);
  });
};

/**
 * Plugin for Fastify 5 that lets only requests with a valid API key pass, and puts the key on `request.apiKey`. Other
 * requests get problem+json (RFC 9457) that contains only the code, with status 400, 401, 403, 413, 429, or 503 if
 * there is no verdict. It protects all routes of the instance that registers it, and of child instances.
 *
 * The key is read only from the `keyLocations`, by default `Authorization: Bearer …` (RFC 6750, section 2.1), and never
 * from the URL. The header is not removed from the request. For a signed request, the method, the
 * URL, the relevant header fields and the digest of the received bytes are verified too, even if the body is empty, so
 * that nobody can replace, add or remove a body.
 *
 * If the key of a request that passes has a rate limit, the response has RateLimit fields, which the application can
 * replace. For routes that need scopes, use `requireScopes`.
 *
 * It runs in the hook `preParsing`, where Fastify provides the bytes of the body, and hands the body on. Register it
 * before plugins that decode the body in that hook.
 *
 * @throws (as rejections of `register`) TypeError or RangeError for invalid options
 */
export const requireApiKey: FastifyPluginAsync<RequireApiKeyOptions> = Object.assign(plugin, {
  // Fastify's convention, as in the npm package fastify-plugin: with these symbols, the hook applies to the instance
  // that registers the plugin, and not only to child instances.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@latchkey/client',
  [Symbol.for('plugin-meta')]: { name: '@latchkey/client', fastify: '5.x' },
});

/** The parts of a request and a reply that the guard uses, for any type of route and server. */
interface GuardedRequest {
  readonly apiKey: AuthenticatedKey | null;
}
interface GuardedReply {
  code(status: number): GuardedReply;
  headers(values: Record<string, string>): GuardedReply;
  send(payload: Uint8Array): unknown;
}

/**
 * Hook for routes behind `requireApiKey` that lets only requests pass whose key has all of these scopes: `{
 * preValidation: requireScopes(['orders:read']) }`, or `preHandler`. Other requests get 403 INSUFFICIENT_SCOPE, as
 * problem+json (RFC 9457) with the challenge of RFC 6750. It reads `request.apiKey` and verifies nothing, so that a
 * signature is not used twice.
 *
 * @throws TypeError if `scopes` is not a list of scope tokens. The hook rejects with a TypeError if the request has no
 * key, for example before `preValidation`
 */
export function requireScopes(
  scopes: readonly string[],
  options: RequireScopesOptions = {},
): (request: GuardedRequest, reply: GuardedReply) => Promise<unknown> {
  const check = createScopeCheck(scopes, options);
  return async (request, reply) => {
    const rejection = check(request.apiKey);
    return rejection === null ? undefined : sendProblem(rejection, reply);
  };
}

function sendProblem({ status, headers, body }: ProblemAnswer, reply: GuardedReply): unknown {
  // Sends bytes, because Fastify adds a charset to the content type of a string.
  return reply
    .code(status)
    .headers({ ...headers })
    .send(Buffer.from(body));
}

function defaultSource(request: FastifyRequest): string {
  const plain: FastifyRequest = Object.create(request, { raw: { value: withPlainAddresses(request.raw) } });
  return plain.ip;
}

/** Creates a verifier that is closed with the application. */
function ownVerifier(app: FastifyInstance, options: RequireApiKeyOptions): Verifier {
  const verifier = createVerifier(endpointOptions(options));
  app.addHook('onClose', async () => verifier.close());
  return verifier;
}

/** Returns the authority, for which HTTP/2 has `:authority` instead of Host (RFC 9113, section 8.3.1). */
function authorityOf({ headers }: FastifyRequest): string {
  const authority = headers[':authority'];
  return typeof authority === 'string' ? authority : (headers.host ?? '');
}

async function readPayload(payload: RequestPayload, limitBytes: number): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Leaving the loop early must not destroy the stream, because its connection also carries the answer.
    for await (const chunk of Readable.prototype.iterator.call(payload, { destroyOnReturn: false })) {
      length += chunk.length;
      if (length > limitBytes) return 'PAYLOAD_TOO_LARGE';
      chunks.push(chunk);
    }
  } catch {
    return 'gone';
  }
  return Buffer.concat(chunks, length);
}

/** Returns the body as a stream. Fastify checks `receivedEncodedLength` against Content-Length and its body limit. */
function payloadOf(body: Uint8Array): RequestPayload {
  return Object.assign(Readable.from([body], { objectMode: false }), { receivedEncodedLength: body.length });
}
