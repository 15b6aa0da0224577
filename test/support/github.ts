/** A stand-in for GitHub's secret scanning: publishes a public key, and signs reports with it. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { listen, stopListening } from './gateway.ts';

export type Github = Awaited<ReturnType<typeof startGithub>>;

interface PublishedKey {
  readonly keyId: string;
  readonly key: string;
}

/** Publishes these keys too. */
export async function startGithub(...others: readonly PublishedKey[]) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyId = 'a'.repeat(64);
  const own = { keyId, key: publicKey.export({ format: 'pem', type: 'spki' }).toString() };
  const published = [own, ...others].map(({ keyId, key }) => ({ key_identifier: keyId, key, is_current: true }));
  let fetches = 0;
  const server = createServer((_, response) => {
    fetches += 1;
    response.end(JSON.stringify({ public_keys: published }));
  });
  const url = await listen(server);
  return {
    url,
    fetches: () => fetches,
    headersFor: (body: string | Uint8Array) => ({
      'github-public-key-identifier': keyId,
      'github-public-key-signature': createSign('sha256').update(body).sign(privateKey, 'base64'),
    }),
    stop: () => stopListening(server),
  };
}
