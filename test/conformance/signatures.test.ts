/** The signer of the TypeScript client makes the signatures of the vectors, and the service accepts them. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { verifySignature } from '../../src/domain/signature/http-signature.ts';
import { digestOf } from '../support/crafted-request.ts';
import { signatureVectors } from './vectors.ts';

test.each(signatureVectors)('the signature of a vector: $name', ({ input, expected }) => {
  const { method, url, headers = {}, body, keyId, signingSecret, created, expires, nonce } = input;
  const now = new Date(created * 1000);
  const request = { method, url, headers, ...(body === undefined ? {} : { body }) };
  const sign = () => signRequest(request, { keyId, signingSecret, now, nonce, expiresInSeconds: expires - created });
  if (expected.error) {
    const secrets = [keyId, signingSecret].filter((secret) => secret !== '');
    expect(sign).toThrow(expect.toSatisfy((error) => secrets.every((secret) => !String(error).includes(secret))));
    return;
  }
  expect(sign()).toEqual(expected.headers);
  const lines = Object.entries(expected.components).map(([name, value]) => `"${name}": ${value}`);
  const parameters = expected.headers['signature-input']?.replace(/^sig1=/, '');
  expect(expected.signatureBase).toBe([...lines, `"@signature-params": ${parameters}`].join('\n'));
  const secret = Buffer.from(signingSecret, 'hex');
  const signature = createHmac('sha256', secret).update(expected.signatureBase, 'ascii').digest('base64');
  expect(expected.headers.signature).toBe(`sig1=:${signature}:`);
  // A fragment is not sent.
  const received = { method, url: url.replace(/#.*/, ''), headers: expected.headers };
  const digests = body === undefined ? {} : { bodyDigest: `${digestOf(body)}, ${digestOf(body, 'sha-512')}` };
  expect(verifySignature({ request: { ...received, ...digests }, keyId, secret, now })).toMatchObject({
    outcome: 'valid',
    nonce,
  });
});
