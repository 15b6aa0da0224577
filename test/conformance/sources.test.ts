/** The middleware for Express, which uses its 'trust proxy', finds the source that the vectors name. */
import express from 'express';
import { expect, test } from 'vitest';
import { knownAddress } from '../../src/client/middleware/node-request.ts';
import { formatIpAddress, parseIpAddress } from '../../src/domain/source/ip-address.ts';
import { sourceVectors } from './vectors.ts';

test.each(sourceVectors)('the source of a request behind Express: $name', ({ input, expected }) => {
  const { peer, headers, trustedProxies } = input;
  const app = express().set('trust proxy', trustedProxies);
  // Node joins the lines of X-Forwarded-For in the same way.
  const lines = headers.filter(([name]) => name.toLowerCase() === 'x-forwarded-for').map(([, value]) => value);
  const socket = { remoteAddress: peer ?? undefined };
  const received = { app, socket, headers: lines.length === 0 ? {} : { 'x-forwarded-for': lines.join(', ') } };
  const request: express.Request = Object.create(app.request, Object.getOwnPropertyDescriptors(received));
  const address = parseIpAddress(knownAddress(request.ip) ?? '');
  expect(address === null ? null : formatIpAddress(address)).toBe(expected.source);
});
