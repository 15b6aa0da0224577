import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type RequestToSign, type SigningOptions, signRequest } from '../../src/client/sign.ts';
import {
  created,
  digestOf,
  keyId,
  nonce,
  now,
  secret,
  signingSecret,
  valid,
  verify,
} from '../support/crafted-request.ts';

const options = { keyId, signingSecret, now, nonce };
const get = { method: 'GET', url: 'https://api.example.com/orders?limit=5' };

function sign(request: Partial<RequestToSign> = {}, changes: Partial<SigningOptions> = {}) {
  return signRequest({ ...get, ...request }, { ...options, ...changes });
}

describe('signRequest', () => {
  test('returns exactly the headers that the profile requires', () => {
    const input =
      `("@method" "@authority" "@path" "@query");created=${created};expires=${created + 60};nonce="${nonce}"` +
      `;keyid="${keyId}";alg="hmac-sha256";tag="latchkey-v1"`;
    const base = `"@method": GET\n"@authority": api.example.com\n"@path": /orders\n"@query": ?limit=5\n"@signature-params": ${input}`;
    const mac = createHmac('sha256', secret).update(base).digest('base64');
    expect(sign()).toEqual({ 'signature-input': `sig1=${input}`, signature: `sig1=:${mac}:` });
  });

  test('covers the digest of a body, an empty one included', () => {
    for (const body of ['{"amount":5}', '', 'é', Buffer.from('é')]) {
      const headers = sign({ method: 'POST', body });
      expect(headers['content-digest']).toBe(digestOf(body.toString()));
      expect(headers['signature-input']).toContain('"@query" "content-digest");');
      expect(
        verify({ ...get, method: 'POST', headers: { ...headers }, bodyDigest: digestOf(body.toString()) }),
      ).toEqual(valid);
    }
  });

  test('covers a Content-Digest that is there already when it is the digest of the body', () => {
    const both = `${digestOf('x', 'sha-512')}, ${digestOf('x')}`;
    for (const digest of [both, digestOf('x', 'sha-512')]) {
      const headers = sign({ body: 'x', headers: { 'Content-Digest': digest } });
      expect(headers['content-digest']).toBe(digest);
      expect(verify({ ...get, headers: { ...headers }, bodyDigest: both })).toEqual(valid);
    }
  });

  test('signs the URL that fetch sends', () => {
    const headers = { ...sign({ url: new URL('HTTPS://API.example.com:443/a/../orders?limit=5#top') }) };
    expect(verify({ ...get, headers })).toEqual(valid);
    const accented = { ...sign({ url: 'https://api.example.com/é è?q=ü' }) };
    expect(
      verify({ method: 'GET', url: 'https://api.example.com/%C3%A9%20%C3%A8?q=%C3%BC', headers: accented }),
    ).toEqual(valid);
  });

  test('draws a new nonce of 128 bits for each signature', () => {
    const nonces = Array.from({ length: 100 }, () => {
      const headers = signRequest(get, { keyId, signingSecret, now });
      return /nonce="([A-Za-z0-9_-]{22})"/.exec(headers['signature-input'])?.[1];
    });
    expect(nonces).not.toContain(undefined);
    expect(new Set(nonces).size).toBe(100);
  });

  test('is valid for 60 seconds from now, or for the requested time', () => {
    expect(sign({}, { expiresInSeconds: 300 })['signature-input']).toContain(`;expires=${created + 300};`);
    const before = Math.floor(Date.now() / 1000);
    const start = Number(/created=(\d+)/.exec(signRequest(get, { keyId, signingSecret })['signature-input'])?.[1]);
    expect(start).toBeGreaterThanOrEqual(before);
    expect(start).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  });

  const [seconds, nonceText, idText, secretText] = [
    new RangeError('expiresInSeconds must be an integer from 1 to 300'),
    new RangeError('nonce must be 22 to 128 characters of base64url'),
    new TypeError('keyId must be the id of a key'),
    new TypeError('signingSecret must be 64 hexadecimal characters'),
  ];
  test.each<[Error, 'expiresInSeconds' | 'nonce' | 'keyId' | 'signingSecret', readonly unknown[]]>([
    [seconds, 'expiresInSeconds', [0, -1, 301, 1.5, Number.NaN, Number.POSITIVE_INFINITY]],
    [nonceText, 'nonce', ['', 'a'.repeat(21), 'a'.repeat(129), ...['"', '\n', 'é'].map((end) => 'a'.repeat(22) + end)]],
    [idText, 'keyId', ['', 'a"b', 'a\\b', 'a\nb', 'é']],
    [
      secretText,
      'signingSecret',
      ['', 'deadbeef', 'a'.repeat(63), 'a'.repeat(66), 'z'.repeat(64), `${signingSecret}\n`],
    ],
  ])('%s, and the error does not repeat it', (error, option, values) => {
    for (const value of values) expect(() => sign({}, { [option]: value })).toThrow(error);
  });

  test('takes a signing secret in either case', () => {
    expect(sign({}, { signingSecret: signingSecret.toUpperCase() })).toEqual(sign());
  });

  test('rejects an invalid time', () => {
    expect(() => sign({}, { now: new Date(Number.NaN) })).toThrow(RangeError);
    expect(() => sign({}, { now: new Date(-1) })).toThrow(RangeError);
  });

  test.each([
    ['a relative URL', { url: '/orders' }],
    ['another scheme', { url: 'ftp://api.example.com/' }],
    ['user information', { url: 'https://me:pass@api.example.com/' }],
    ['an empty method', { method: '' }],
    ['a method with a newline', { method: 'GET\n' }],
    ['a request that is signed already', { headers: { Signature: 'sig1=::' } }],
    ['a request that is half signed already', { headers: { 'signature-input': 'x' } }],
    ['a Content-Digest of another body', { body: 'x', headers: { 'content-digest': digestOf('y') } }],
    ['a Content-Digest without a body', { headers: { 'content-digest': digestOf('y') } }],
    ['an invalid Content-Digest', { body: 'x', headers: { 'content-digest': 'x' } }],
  ])('rejects %s', (_, request) => {
    expect(() => sign(request)).toThrow(TypeError);
  });
});
