/** Issuers whose keys never arrive. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { expect, it, onTestFinished } from 'vitest';
import { TrustedIssuers } from '../../src/auth/trusted-issuers.ts';

async function silentIssuer() {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

it.each(['discovery document', 'keys'])('only 32 callers wait for the %s of an issuer', async (awaited) => {
  const { issuer, stop } = await silentIssuer();
  const issuers = new TrustedIssuers([{ issuer, keysUrl: awaited === 'keys' ? `${issuer}/keys` : null }]);
  const token = jwt.sign({}, 'any', { issuer, keyid: 'one' });
  const settled: number[] = [];
  const checks = Array.from({ length: 40 }, (_, i) =>
    issuers.check(token, new Date()).finally(() => void settled.push(i)),
  );
  const rejections = checks.map((check) => expect(check).rejects.toMatchObject({ code: 'UNAVAILABLE' }));
  await Promise.all(rejections.slice(32));
  expect(settled).toEqual([32, 33, 34, 35, 36, 37, 38, 39]);
  stop();
  await Promise.all(rejections);
});
