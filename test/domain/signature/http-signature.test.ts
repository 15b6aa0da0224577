// SECURITY.md: A signed request
import { describe, expect, test } from 'vitest';
import { signatureBase, signatureMac, verifySignature } from '../../../src/domain/signature/http-signature.ts';
import {
  body,
  craft,
  craftWithBody,
  created,
  digestOf,
  expectInvalid,
  expiresAt,
  keyId,
  nonce,
  now,
  parameters,
  target,
  valid,
  verify,
  wrongMac,
} from '../../support/crafted-request.ts';

describe('the signature base and the MAC', () => {
  test('are those of RFC 9421, appendix B.2.5', () => {
    const input = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';
    const lines = [
      { name: 'date', value: 'Tue, 20 Apr 2021 02:07:55 GMT' },
      { name: '@authority', value: 'example.com' },
      { name: 'content-type', value: 'application/json' },
    ];
    const base = signatureBase(lines, input);
    const covered = lines.map(({ name, value }) => `"${name}": ${value}`);
    expect(base).toBe([...covered, `"@signature-params": ${input}`].join('\n'));
    const shared = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==';
    const signature = signatureMac(base, Buffer.from(shared, 'base64')).toString('base64');
    expect(signature).toBe('pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=');
  });
});

describe('a signed request is valid', () => {
  test('and comes with its nonce and the moment from which it is rejected', () => {
    expect(verify(craft())).toEqual(valid);
  });

  test('with a body that is covered through its sha-256 or its sha-512 digest', () => {
    expect(verify({ ...craftWithBody(), bodyDigest: digestOf(body) })).toEqual(valid);
    const longer = digestOf('x', 'sha-512');
    expect(verify({ ...craftWithBody(longer), bodyDigest: longer })).toEqual(valid);
  });

  test('with any case of its header names, any order of its parameters, and headers that are not covered', () => {
    const { method, url, headers } = craft({
      input: `(${target});tag="latchkey-v1";alg="hmac-sha256";keyid="${keyId}";nonce="${nonce}";expires=${created + 60};created=${created}`,
      headers: { authorization: 'Bearer x', accept: '*/*', 'x-forwarded-for': '::1' },
    });
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(verify({ method, url, headers: shouted })).toEqual(valid);
  });

  test('with header values as arrays of one, and whitespace around them', () => {
    const { method, url, headers } = craft();
    const wrapped = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [`\t ${value} `]]));
    expect(verify({ method, url, headers: wrapped })).toEqual(valid);
  });

  test('with a nonce of 22 and of 128 characters', () => {
    for (const text of ['a'.repeat(22), 'Z_-9'.repeat(32)]) {
      const request = craft({ input: `(${target})${parameters({ nonce: `"${text}"` })}` });
      expect(verify(request)).toEqual({ ...valid, nonce: text });
    }
  });
});

describe('a signature is required', () => {
  test('when neither header is there', () => {
    const reason = 'The request must have Signature-Input and Signature';
    const { method, url } = craft();
    for (const request of [
      ...[{}, { authorization: 'Bearer x' }, { signature: '', 'signature-input': [] }].map((headers) => ({
        method,
        url,
        headers,
      })),
      { method: '', url: '', headers: {} },
    ]) {
      expect(verify(request)).toEqual({ outcome: 'SIGNATURE_REQUIRED', check: 'HEADERS', reason });
    }
  });

  test('and one header of the two is an invalid one', () => {
    const { method, url, headers } = craft();
    const { signature = '', 'signature-input': input = '' } = headers;
    expectInvalid({ method, url, headers: { signature } }, /^Signature-Input must start with/);
    expectInvalid({ method, url, headers: { 'signature-input': input } }, /^Signature must be/);
  });
});

describe('a request that was changed after signing is invalid', () => {
  test.each([
    ['method', { method: 'DELETE' }],
    ['authority', { url: 'https://api.example.org/orders?limit=5' }],
    ['port', { url: 'https://api.example.com:444/orders?limit=5' }],
    ['path', { url: 'https://api.example.com/order?limit=5' }],
    ['case of the path', { url: 'https://api.example.com/Orders?limit=5' }],
    ['percent-encoding', { url: 'https://api.example.com/%6frders?limit=5' }],
    ['query', { url: 'https://api.example.com/orders?limit=6' }],
    ['query, dropped', { url: 'https://api.example.com/orders' }],
  ])('%s', (_, change) => {
    expectInvalid({ ...craft(), ...change }, wrongMac);
  });

  test.each([
    ['created', `created=${created}`, `created=${created - 1}`, wrongMac],
    ['expires', `expires=${created + 60}`, `expires=${created + 61}`, wrongMac],
    ['nonce', 'n0nce', 'n1nce', wrongMac],
    ['keyid', keyId, keyId.replace('0197', '0198'), 'keyid must be the id of the presented key'],
    ['alg', 'hmac-sha256', 'hmac-sha512', 'alg must be "hmac-sha256"'],
    ['tag', 'latchkey-v1', 'latchkey-v2', 'tag must be "latchkey-v1"'],
  ])('parameter %s', (_, from, to, reason) => {
    const request = craft();
    const input = String(request.headers['signature-input']);
    expect(input).toContain(from);
    expectInvalid({ ...request, headers: { ...request.headers, 'signature-input': input.replace(from, to) } }, reason);
  });

  test('digest of the body, or secret', () => {
    const request = craftWithBody();
    const headers = { ...request.headers, 'content-digest': digestOf('{"amount":6}') };
    expectInvalid({ ...request, headers }, wrongMac);
    const check = { request: craft(), keyId, secret: Buffer.alloc(32, 7), now };
    expect(verifySignature(check)).toEqual({ outcome: 'SIGNATURE_INVALID', check: 'MAC', reason: wrongMac });
  });

  test('a malformed signing secret is an error of the service, not a verdict', () => {
    const check = { request: craft(), keyId, secret: Buffer.alloc(0), now };
    expect(() => verifySignature(check)).toThrow(RangeError);
  });
});

describe('the window', () => {
  const atSecond = (seconds: number) => new Date((created + seconds) * 1000);
  const expired = { outcome: 'SIGNATURE_EXPIRED', check: 'EXPIRES', reason: 'The signature must not have expired' };
  const early = { outcome: 'SIGNATURE_INVALID', check: 'CREATED', reason: 'created must not be in the future' };

  test('opens 5 seconds before created', () => {
    expect(verify(craft(), atSecond(-5))).toEqual(valid);
    expect(verify(craft(), atSecond(-5.001))).toEqual(early);
  });

  test('closes 5 seconds after expires, at the moment that the verdict names', () => {
    expect(verify(craft(), new Date(expiresAt.getTime() - 1))).toEqual(valid);
    expect(verify(craft(), expiresAt)).toEqual(expired);
    expect(verify(craft(), atSecond(1e9))).toEqual(expired);
  });

  test('is 1 to 300 seconds long', () => {
    const lasting = (seconds: number) =>
      craft({ input: `(${target})${parameters({ expires: String(created + seconds) })}` });
    for (const seconds of [1, 300]) {
      expect(verify(lasting(seconds))).toMatchObject({ outcome: 'valid', expiresAt: atSecond(seconds + 5) });
    }
    for (const seconds of [0, -1, 301]) {
      expectInvalid(lasting(seconds), 'expires must be 1 to 300 seconds after created');
    }
  });

  test('does not reach into the year 9999, nor start there', () => {
    const far = Date.parse('9999-12-31T23:59:59Z') / 1000;
    expectInvalid(craft({ input: `(${target})${parameters({ expires: String(far) })}` }), /^expires must/);
    const farther = parameters({ created: String(far - 60), expires: String(far) });
    expect(verify(craft({ input: `(${target})${farther}` }))).toEqual(early);
    const unimaginable = parameters({ created: '999999999999999', expires: '1000000000000000' });
    expectInvalid(craft({ input: `(${target})${unimaginable}` }));
  });

  test('is over for a signature of 1970, and rejected if a time is not a number', () => {
    expect(verify(craft({ input: `(${target})${parameters({ created: '0', expires: '300' })}` }))).toEqual(expired);
    expect(verify(craft(), new Date(Number.NaN)).outcome).toBe('SIGNATURE_INVALID');
  });

  test('is reported only for a correct signature: a forged signature is invalid at any time', () => {
    const request = craft();
    const headers = { ...request.headers, signature: `sig1=:${Buffer.alloc(32).toString('base64')}:` };
    for (const at of [atSecond(-1e6), atSecond(-6), now, expiresAt, atSecond(1e9)]) {
      expect(verify({ ...request, headers }, at).outcome).toBe('SIGNATURE_INVALID');
    }
    expect(verify({ ...request, method: 'DELETE' }, expiresAt)).toMatchObject({ check: 'MAC', reason: wrongMac });
  });
});

describe('the body that arrived', () => {
  const [x, y, none] = [digestOf('x'), digestOf('y'), digestOf('')];
  const [x512, y512] = [digestOf('x', 'sha-512'), digestOf('y', 'sha-512')];
  const wrongBody = 'The body must have the digest that was signed';
  const unsigned = 'A request with a body must have Content-Digest';
  /** A request whose signature covers this digest; without one, a request without a body. */
  const signed = (digest: string | null, headers = {}) =>
    digest === null ? craft({ headers }) : craftWithBody(digest, { headers: { 'content-digest': digest, ...headers } });

  test.each<[string, signed: string | null, arrived: string | undefined, headers?: object]>([
    ['is the signed one', x, x],
    ['is the signed one, with another digest too', x, ` ${x}, ${x512} `],
    ['is one of two that were signed', `${x}, ${x512}`, x],
    ['has both signed digests', `${x}, ${x512}`, `${x}, ${x512}`],
    ['is the signed one, by its sha-512 digest', x512, x512],
    ['is empty, which was not signed', null, none],
    ['is missing, and an empty one was signed', none, undefined],
    ['is announced as empty, and an empty one was signed', none, undefined, { 'content-length': '0' }],
  ])('is valid if it %s', (_, digest, bodyDigest, headers) => {
    const request = signed(digest, headers);
    expect(verify(bodyDigest === undefined ? request : { ...request, bodyDigest })).toEqual(valid);
  });

  test.each<[string, signed: string | null, arrived: string, reason: string]>([
    ['is another one', x, y, wrongBody],
    ['is another one, by its sha-512 digest', x512, y512, wrongBody],
    ['is empty', x, none, wrongBody],
    ['differs in one of two digests', `${x}, ${x512}`, `${x}, ${y512}`, wrongBody],
    ['differs in one of two signed digests', `${x}, ${y512}`, `${x}, ${x512}`, wrongBody],
    ['has a digest by another algorithm', x, x512, wrongBody],
    ['was put under a request that was signed without one', null, x, unsigned],
  ])('is invalid if it %s', (_, digest, bodyDigest, reason) => {
    expectInvalid({ ...signed(digest), bodyDigest }, reason);
    // Invalid, not expired, when the window is over as well.
    const verdict = verify({ ...signed(digest), bodyDigest }, expiresAt);
    expect(verdict).toEqual({ outcome: 'SIGNATURE_INVALID', check: 'BODY', reason });
  });

  test('is invalid when the caller gives no digest of it', () => {
    expectInvalid(craftWithBody(), wrongBody);
    // A gateway may have taken the body away.
    expectInvalid(signed(x, { 'content-length': '0' }), wrongBody);
    for (const framing of [{ 'content-length': '12' }, { 'transfer-encoding': 'chunked' }]) {
      expectInvalid(signed(x, framing), 'bodyDigest must be given for a request with a body');
    }
  });

  test('is invalid when nothing compares it, whether or not a digest was signed', () => {
    for (const request of [craft(), craftWithBody()]) {
      expectInvalid({ ...request, body: 'unknown' }, /must have no body/);
    }
  });

  test('is compared by the API if the operator says so, and its digest must still be covered', () => {
    for (const request of [craft(), craftWithBody()]) {
      expect(verify({ ...request, body: 'compared by the API' })).toEqual(valid);
    }
    const uncovered = craft({ headers: { 'content-length': '5' } });
    expectInvalid({ ...uncovered, body: 'compared by the API' }, /^Signature-Input must/);
  });

  test.each(['', 'x', 'md5=:AAAA:', 'sha-256=:AAAA:'])('is invalid when its digest is malformed: %s', (bodyDigest) => {
    for (const request of [craft(), craftWithBody()]) expectInvalid({ ...request, bodyDigest }, /^bodyDigest must/);
  });
});
