/** Two implementations of RFC 9421 that are not ours: what one side signs, the other verifies. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifySignature as verifyElsewhere } from 'http-message-sig';
import { createSigner, httpbis } from 'http-message-signatures';
import { describe, expect, test } from 'vitest';
import { signRequest } from '../../../src/client/sign.ts';
import type { SignedRequest } from '../../../src/domain/signature/signed-request.ts';
import {
  craft,
  created,
  digestOf,
  keyId,
  nonce,
  now,
  parameters,
  secret,
  signingSecret,
  target,
  valid,
  verify,
} from '../../support/crafted-request.ts';

const components = ['@method', '@authority', '@path', '@query'];
const parameterNames = ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'];

/** `http-message-sig`, told the same rules as far as it has words for them. */
async function acceptedElsewhere(request: SignedRequest, covered: readonly string[] = components): Promise<boolean> {
  const fields = Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }));
  const verifier = {
    algorithm: 'hmac-sha256',
    verify: (data: Uint8Array, signature: Uint8Array) =>
      createHmac('sha256', secret).update(data).digest().equals(signature),
  };
  const policy = {
    algorithms: ['hmac-sha256'],
    requiredComponents: covered,
    requiredParameters: parameterNames,
    clockSkew: 5,
    now: Math.floor(now.getTime() / 1000),
  };
  const message = { kind: 'request', method: request.method, targetUri: request.url, fields } as const;
  const verified = verifyElsewhere(message, { label: 'sig1', policy, resolveVerifier: () => verifier });
  return verified.then(() => true).catch(() => false);
}

/** Signed by `http-message-signatures`. */
async function signedElsewhere(request: SignedRequest, fields: readonly string[] = components): Promise<SignedRequest> {
  const { method, url } = request;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const signed = await httpbis.signMessage(
    {
      key: createSigner(secret, 'hmac-sha256', keyId),
      name: 'sig1',
      fields: [...fields],
      params: parameterNames,
      paramValues: { created: now, expires: new Date((created + 60) * 1000), nonce, tag: 'latchkey-v1' },
    },
    { method, url, headers },
  );
  return { method, url, headers: signed.headers };
}

const requests: readonly [string, SignedRequest][] = [
  ['a GET', { method: 'GET', url: 'https://api.example.com/orders?limit=5', headers: {} }],
  ['an empty path and query', { method: 'GET', url: 'https://api.example.com', headers: {} }],
  ['a default port', { method: 'GET', url: 'https://API.example.com:443/orders', headers: {} }],
  ['another port', { method: 'PATCH', url: 'http://127.0.0.1:8080/a/b?x=%20+y&&z', headers: {} }],
  ['an IPv6 host', { method: 'OPTIONS', url: 'http://[2001:db8::1]/a', headers: {} }],
  ['percent-encoding', { method: 'DELETE', url: 'https://api.example.com/%7Eme/%c3%A9?q=%2f', headers: {} }],
  ['a body', { method: 'POST', url: 'https://api.example.com/', headers: { 'content-digest': digestOf('x') } }],
];

describe.each(requests)('for %s', (_, request) => {
  const withDigest = 'content-digest' in request.headers ? [...components, 'content-digest'] : components;
  const arrived = withDigest === components ? {} : { bodyDigest: digestOf('x') };
  const body = withDigest === components ? {} : { body: 'x' };

  test('http-message-sig verifies what our client signs', async () => {
    const headers = signRequest({ ...request, ...body }, { keyId, signingSecret, now, nonce });
    const signed = { ...request, headers: { ...headers }, ...arrived };
    expect(await acceptedElsewhere(signed, withDigest)).toBe(true);
    expect(verify(signed)).toEqual(valid);
    expect(await acceptedElsewhere({ ...signed, method: 'PUT' }, withDigest)).toBe(false);
  });

  test('we verify what http-message-signatures signs', async () => {
    const signed = { ...(await signedElsewhere(request, withDigest)), ...arrived };
    expect(verify(signed)).toEqual(valid);
    expect(verify({ ...signed, method: 'PUT' }).outcome).toBe('SIGNATURE_INVALID');
  });

  test('http-message-signatures verifies what our client signs', async () => {
    // Its verifier knows no clock but the machine's.
    const headers = { ...signRequest({ ...request, ...body }, { keyId, signingSecret }) };
    const mac = async (data: Buffer, signature: Buffer) =>
      createHmac('sha256', secret).update(data).digest().equals(signature);
    const keyLookup = async () => ({ id: keyId, algs: ['hmac-sha256'], verify: mac });
    expect(await httpbis.verifyMessage({ keyLookup, tolerance: 5 }, { ...request, headers })).toBe(true);
  });
});

test('with any change of a Signature-Input, no text is accepted that http-message-sig rejects', async () => {
  const text = `(${target})${parameters()}`;
  const piece = fc.oneof(
    fc.constantFrom(' ', ';', ',', '"', '(', ')', '=', '0', '\\', '\t', ';req', ';x=1', '"@query"', ', sig1=()', 'é'),
    fc.string({ unit: 'grapheme-ascii', maxLength: 3 }),
    fc.tuple(fc.nat(text.length), fc.nat(40)).map(([from, length]) => text.slice(from, from + length)),
  );
  const edit = fc.record({ at: fc.nat(text.length), drop: fc.nat(3), insert: piece });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 2 }), async (edits) => {
      let input = text;
      for (const { at, drop, insert } of edits) input = input.slice(0, at) + insert + input.slice(at + drop);
      const request = craft({ input });
      if (verify(request).outcome === 'valid') expect(await acceptedElsewhere(request)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
