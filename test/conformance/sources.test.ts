/** Express and Fastify, whose getters the middleware and the management port use, find the source that the vectors name. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { requireApiKey } from '../../src/client/fastify.ts';
import { withPlainAddresses } from '../../src/client/middleware/node-request.ts';
import { plainAddress } from '../../src/domain/source/forwarded-address.ts';
import { withShortLists } from '../../src/http/listeners.ts';
import { sourceOf } from '../../src/http/source-of.ts';
import { type SourceInput, sourceVectors } from './vectors.ts';

/** Node joins the lines of a field in the same way. */
function headersOf({ headers }: SourceInput): Record<string, string> {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'x-forwarded-for').map(([, value]) => value);
  return lines.length === 0 ? {} : { 'x-forwarded-for': lines.join(', ') };
}

function received(input: SourceInput): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  Object.defineProperty(message.socket, 'remoteAddress', { value: input.peer ?? undefined });
  return Object.assign(message, { headers: headersOf(input) });
}

/** Returns the request that Express makes of a message. */
function inExpress(message: IncomingMessage, trustedProxies: readonly string[]): express.Request {
  const app = express().set('trust proxy', trustedProxies);
  return Object.setPrototypeOf(message, app.request);
}

test.each(sourceVectors)('the source of a request behind Express: $name', ({ input, expected }) => {
  const request = inExpress(received(input), input.trustedProxies);
  expect(plainAddress(withPlainAddresses(request).ip)).toBe(expected.source);
});

test.each(sourceVectors)('the source of a call of the management port: $name', ({ input, expected }) => {
  const message = received(input);
  const sources: (string | null)[] = [];
  const serve = withShortLists((listed) => {
    sources.push(sourceOf(inExpress(listed, input.trustedProxies)));
  });
  serve(message, new ServerResponse(message));
  expect(sources).toEqual([expected.source]);
});

const withPeer = sourceVectors.filter(({ input }) => input.peer !== null);

test.each(withPeer)('the source of a request behind Fastify: $name', async ({ input, expected }) => {
  const sources: unknown[] = [];
  const verifier = {
    verify: async ({ sourceIp }: { readonly sourceIp?: string | undefined }) => {
      sources.push(sourceIp ?? null);
      throw new Error('not needed');
    },
    close: () => undefined,
  };
  const app = Fastify({ trustProxy: [...input.trustedProxies] });
  app.register(requireApiKey, { verifier });
  const headers = { ...headersOf(input), authorization: 'Bearer key' };
  await app.inject({ url: '/', remoteAddress: input.peer ?? '', headers });
  await app.close();
  expect(sources).toEqual([expected.source]);
});
