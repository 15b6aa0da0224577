// SECURITY.md: Bytes from outside
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signRequest } from '../../../src/client/sign.ts';
import type { SignedRequest } from '../../../src/domain/signature/signed-request.ts';
import { craftWithBody, digestOf, keyId, now, signingSecret, verify } from '../../support/crafted-request.ts';

const method = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/);
/** Everything that may stand in a path and in a query, and what `URL` makes something else of. */
const path = fc.oneof(fc.stringMatching(/^[!-"$->@-~]{0,30}$/), fc.string({ unit: 'grapheme' }));
const query = fc.oneof(fc.stringMatching(/^[!-"$-~]{0,30}$/), fc.string({ unit: 'grapheme' }));
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const port = fc.option(fc.constantFrom(80, 443, 8080));
const body = fc.option(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' })));

interface Sent {
  readonly request: SignedRequest;
  readonly hasBody: boolean;
}

/** A request that our client signed, as it arrives on the wire: the path and query of its URL, and Host. */
const sent: fc.Arbitrary<Sent> = fc
  .record({ method, scheme: fc.constantFrom('http', 'https'), host, port, path, query, body })
  .map(({ method, scheme, host, port, path, query, body }) => {
    const url = new URL(`${scheme}://${host}${port === null ? '' : `:${port}`}`);
    url.pathname = path;
    url.search = query;
    const headers = signRequest({ method, url, ...(body === null ? {} : { body }) }, { keyId, signingSecret, now });
    const request = { method, url: url.pathname + url.search, headers: { host: url.host, ...headers } };
    const bodyDigest = `sha-256=:${hash('sha256', body ?? '', 'base64')}:`;
    return { request: { ...request, bodyDigest }, hasBody: body !== null };
  });

test('a request that the client signs is valid, with any method, URL and body', () => {
  fc.assert(
    fc.property(sent, ({ request }) => {
      expect(verify(request).outcome).toBe('valid');
    }),
    { numRuns: 1000 },
  );
});

test('and is not valid anymore once one character of it is another', () => {
  const fields = ['method', 'url', 'host', 'content-digest', 'signature-input', 'signature', 'bodyDigest'] as const;
  const character = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e]$/),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(sent, fc.constantFrom(...fields), fc.nat(), character, ({ request, hasBody }, field, position, put) => {
      const name = field === 'content-digest' && !hasBody ? 'signature' : field;
      const isHeader = name !== 'method' && name !== 'url' && name !== 'bodyDigest';
      const text = String(isHeader ? request.headers[name] : request[name]);
      const at = position % text.length;
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      // Hosts are the same in any case, and nothing else is.
      fc.pre(name === 'host' ? changed.toLowerCase() !== text.toLowerCase() : changed !== text);
      const other = isHeader
        ? { ...request, headers: { ...request.headers, [name]: changed } }
        : { ...request, [name]: changed };
      expect(verify(other).outcome).not.toBe('valid');
    }),
    { numRuns: 5000 },
  );
});

test('any request whatsoever gets a verdict, never an exception', () => {
  const right = craftWithBody();
  const nearly = (text: string) =>
    fc
      .record({ at: fc.nat(text.length), drop: fc.nat(5), insert: fc.string({ unit: 'binary', maxLength: 5 }) })
      .map(({ at, drop, insert }) => text.slice(0, at) + insert + text.slice(at + drop));
  const value = (name: string) => {
    const text = String(right.headers[name] ?? '');
    const one = fc.oneof(fc.constant(text), nearly(text), fc.string({ unit: 'binary' }));
    return fc.oneof(one, fc.array(one, { maxLength: 3 }));
  };
  const names = ['signature', 'signature-input', 'content-digest', 'content-length', 'transfer-encoding', 'host'];
  const headers = fc
    .subarray(names)
    .chain((some) => fc.record(Object.fromEntries(some.map((name) => [name, value(name)]))));
  const anyHeaders = fc.oneof(headers, fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })));
  const anyText = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(
      fc.oneof(fc.constant('POST'), anyText),
      fc.oneof(fc.constant(right.url), nearly(right.url), anyText),
      anyHeaders,
      fc.option(fc.oneof(nearly(digestOf('x')), anyText)),
      (method, url, headers, bodyDigest) => {
        const verdict = verify({ method, url, headers, ...(bodyDigest === null ? {} : { bodyDigest }) });
        expect(['valid', 'SIGNATURE_REQUIRED', 'SIGNATURE_INVALID']).toContain(verdict.outcome);
      },
    ),
    { numRuns: 2000 },
  );
});
