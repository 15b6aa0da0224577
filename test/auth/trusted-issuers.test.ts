/** Issuers whose keys never arrive, or move. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { describe, expect, it, onTestFinished } from 'vitest';
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

describe('an issuer that is found by its discovery document', () => {
  const document = '/.well-known/openid-configuration';
  const hour = 3_600_000;

  async function issuerWithKeys() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one' };
    const state = { keysPath: '/before', isFailing: false, clock: 0, takesMs: 0 };
    const asked: string[] = [];
    const failures: unknown[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      state.clock += state.takesMs;
      response.statusCode = (url === document ? state.isFailing : url !== state.keysPath) ? 503 : 200;
      response.end(JSON.stringify(url === document ? { issuer, jwks_uri: issuer + state.keysPath } : { keys: [key] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuers = new TrustedIssuers([{ issuer, keysUrl: null }], {
      clock: () => state.clock,
      onFailure: (error, of) => failures.push([error, of]),
    });
    const token = jwt.sign({}, privateKey, {
      ...{ algorithm: 'RS256', keyid: 'one', issuer, subject: 'job', expiresIn: '1h' },
    });
    const checkAt = async (ms: number) => {
      state.clock = ms;
      return (await issuers.check(token, new Date())).subject;
    };
    return { state, issuer, asked, failures, checkAt };
  }

  it('is checked with its new keys by the first call after an hour', async () => {
    const { state, asked, checkAt } = await issuerWithKeys();
    expect(await checkAt(1)).toBe('job');
    expect(await checkAt(hour)).toBe('job');
    expect(asked.splice(0)).toEqual([document, '/before', '/before']);
    state.keysPath = '/after';
    expect(await checkAt(7 * 24 * hour)).toBe('job');
    expect(asked).toEqual([document, '/after']);
  });

  it('is checked with the keys that were known while discovery fails, for a day, and each failure is reported', async () => {
    const { state, issuer, asked, failures, checkAt } = await issuerWithKeys();
    expect(await checkAt(1)).toBe('job');
    asked.length = 0;
    state.isFailing = true;
    expect(await checkAt(hour + 2)).toBe('job');
    expect(asked).toEqual([document, '/before']);
    expect(failures).toEqual([[expect.any(Error), issuer]]);
    expect(await checkAt(24 * hour)).toBe('job');
    await expect(checkAt(24 * hour + 2000)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(failures).toHaveLength(3);
    state.isFailing = false;
    expect(await checkAt(25 * hour)).toBe('job');
  });

  it('is asked again a second after an attempt has failed, however long that took', async () => {
    const { state, asked, checkAt } = await issuerWithKeys();
    Object.assign(state, { isFailing: true, takesMs: 5000 });
    await expect(checkAt(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(checkAt(5500)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(asked).toEqual([document]);
    Object.assign(state, { isFailing: false, takesMs: 0 });
    expect(await checkAt(6002)).toBe('job');
  });
});
