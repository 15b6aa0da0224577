/** Issuers whose keys never arrive, or move. */
import { generateKeyPairSync } from 'node:crypto';
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

it('reads the discovery document of an issuer again after an hour, and goes on with what it knew if that fails', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one' };
  const asked: string[] = [];
  let [keysPath, isFailing] = ['/before', false];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const isKeys = url === keysPath;
    response.statusCode = isFailing ? 503 : 200;
    response.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer, jwks_uri: `${issuer}${keysPath}` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let clock = 0;
  const issuers = new TrustedIssuers([{ issuer, keysUrl: null }], () => clock);
  const token = jwt.sign({}, privateKey, {
    ...{ algorithm: 'RS256', keyid: 'one', issuer, subject: 'job', expiresIn: '1h' },
  });
  const checkAt = async (ms: number) => {
    clock = ms;
    return (await issuers.check(token, new Date())).subject;
  };
  const document = '/.well-known/openid-configuration';
  const hour = 3_600_000;
  expect(await checkAt(1)).toBe('job');
  expect(await checkAt(300_000)).toBe('job');
  expect(asked.splice(0)).toEqual([document, '/before']);
  expect(await checkAt(hour)).toBe('job');
  asked.length = 0;
  isFailing = true;
  expect(await checkAt(hour + 2)).toBe('job');
  await expect.poll(() => asked.splice(0)).toEqual([document]);
  [isFailing, keysPath] = [false, '/after'];
  await expect.poll(async () => (await checkAt(clock + 1001)) && asked.includes('/after')).toBe(true);
  expect(asked).toEqual([document, '/after']);
});
