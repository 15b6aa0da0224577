import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agree,
  bodyDigests,
  type ContentDigest,
  contentDigest,
  isDigestOfNothing,
  parseContentDigest,
} from '../../../src/domain/signature/content-digest.ts';

const sha256 = 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:';
const sha512 = 'sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:';
/** The sample of RFC 9530, appendix D. */
const hello = '{"hello": "world"}\n';

function parsed(value: string): ContentDigest {
  const digest = parseContentDigest(value);
  if (!digest.ok) throw new Error(digest.problem);
  return digest.value;
}

describe('a Content-Digest', () => {
  test('of the body in RFC 9530, appendix D, is the one given there', () => {
    expect(contentDigest(hello)).toBe(sha256);
    expect(contentDigest(hello, 'sha-512')).toBe(sha512);
    expect(contentDigest(Buffer.from(hello))).toBe(sha256);
  });

  test('may have other algorithms, which are ignored, and whitespace around its commas', () => {
    expect([...parsed(`md5=:AAAA:,${sha256} \t,\t ${sha512}, x-y_z.*=::`).keys()]).toEqual(['sha-256', 'sha-512']);
  });

  test.each([
    ['nothing', ''],
    ['no sha-256 and no sha-512', 'md5=:AAAA:'],
    ['a digest of 31 bytes', `sha-256=:${Buffer.alloc(31).toString('base64')}:`],
    ['a digest of 33 bytes', `sha-256=:${Buffer.alloc(33).toString('base64')}:`],
    ['a short sha-512 next to a right sha-256', `${sha256}, sha-512=:AAAA:`],
    ['an algorithm twice', `${sha256}, ${sha256}`],
    ['an ignored algorithm twice', `${sha256}, md5=::, md5=::`],
    ['an algorithm in upper case', sha256.toUpperCase()],
    ['a parameter', `${sha256};q=1`],
    ['a trailing comma', `${sha256},`],
    ['a leading comma', `,${sha256}`],
    ['an empty member', `${sha256},,${sha512}`],
    ['a newline', `${sha256},\n${sha512}`],
    ['a missing colon', sha256.slice(0, -1)],
    ['no padding', sha256.replace(/=:$/, ':')],
    ['set padding bits', sha256.replace('g=:', 'h=:')],
    ['base64url', sha256.replace('/', '_')],
    ['a token', 'sha-256=abc'],
    ['a string', 'sha-256="abc"'],
    ['hex', `sha-256=:${'ab'.repeat(32)}:`],
  ])('with %s is rejected', (_, value) => {
    expect(parseContentDigest(value).ok).toBe(false);
  });

  test('can be parsed again, for any body', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('sha-256' as const, 'sha-512' as const), (body, algorithm) => {
        expect(agree(parsed(contentDigest(body, algorithm)), bodyDigests(body))).toBe(true);
      }),
    );
  });

  test('is parsed or rejected, never an exception, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(100), (text, at) => {
        const cut = sha256.slice(0, at) + text + sha256.slice(at);
        for (const value of [text, cut]) expect(typeof parseContentDigest(value).ok).toBe('boolean');
      }),
    );
  });
});

test('two digests agree when they have an algorithm in common, and are equal in all they have in common', () => {
  const mixed = parsed(`${sha256}, ${contentDigest('other', 'sha-512')}`);
  for (const digest of [sha256, sha512].map(parsed)) {
    expect(agree(digest, digest)).toBe(true);
    expect([agree(digest, bodyDigests(hello)), agree(bodyDigests(hello), digest)]).toEqual([true, true]);
  }
  expect([agree(mixed, bodyDigests(hello)), agree(bodyDigests(hello), mixed)]).toEqual([false, false]);
  expect([agree(parsed(sha256), parsed(sha512)), agree(new Map(), new Map())]).toEqual([false, false]);
});

test('the digests of an empty body are recognized', () => {
  expect([contentDigest(''), contentDigest('', 'sha-512'), sha256].map(parsed).map(isDigestOfNothing)).toEqual([
    ...[true, true, false],
  ]);
});
