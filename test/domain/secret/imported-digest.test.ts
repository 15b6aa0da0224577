import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseImportedDigest, releasedDigest } from '../../../src/domain/secret/imported-digest.ts';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { digestsOf, importedDigestsOf } from '../../../src/domain/secret/secret-digest.ts';

// Its digest has + and / in base64.
const key = 'sk_imported_7';
const hex = createHash('sha256').update(key).digest('hex');
const hashes = { sha256: createHash('sha256').update(key).digest(), sha512: createHash('sha512').update(key).digest() };

test.each(['sha256', 'sha512'] as const)('a %s digest is read with or without its name, in every encoding', (name) => {
  const bytes = hashes[name];
  const base64 = bytes.toString('base64');
  expect(base64).toMatch(/(?=.*\+)(?=.*\/)/);
  const texts = [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), base64, bytes.toString('base64url')];
  for (const text of [...texts, base64.replaceAll('=', '')]) {
    for (const written of [text, `${name}:${text}`]) {
      expect(parseImportedDigest(written), written).toEqual({ ok: true, value: { algorithm: name, bytes } });
    }
  }
});

test.each([
  ['nothing', ''],
  ['the key itself', key],
  ['the name of the other algorithm', `sha512:${hex}`],
  ['another name', `md5:${hex}`],
  ['a name twice', `sha256:sha256:${hex}`],
  ['one character too few', hex.slice(1)],
  ['one character too many', `0${hex}`],
  ['a letter that is not hexadecimal', `g${hex.slice(1)}`],
  ['a last letter that is not hexadecimal', `${hex.slice(1)}g`],
  ['too much padding', `${hashes.sha256.toString('base64')}==`],
  ['padding before it', `=${hashes.sha256.toString('base64url')}`],
  ['set padding bits', `${'A'.repeat(42)}B=`],
  ['31 bytes', Buffer.alloc(31).toString('base64')],
  ['33 bytes', Buffer.alloc(33).toString('base64')],
  ['a line feed', `${hex}\n`],
  ['a space', ` ${hex}`],
])('%s is not a digest', (_, text) => {
  expect(parseImportedDigest(text)).toEqual({
    ok: false,
    problem:
      'must be the SHA-256 or SHA-512 digest of the whole key, in hexadecimal or base64, such as sha256:<64 hexadecimal characters>',
  });
});

test('the stored digest of an imported key is an HMAC of its digest: a change would orphan every imported key', () => {
  const newer = { id: 'newer', bytes: Buffer.alloc(32, 'p') };
  const older = { id: 'older', bytes: Buffer.alloc(32, 'o') };
  // Computed with Python's hmac module.
  expect(digestsOf('sk_imported', keyRing([newer]))).toEqual([
    'QeNzg0V1FyXXkpAj0YCp2KwlXIZoKPB7Rp5ZGYrwzXc',
    'Tl4fh1vDjeQye7GVwq2P39C4akIPYT5LTDVOjV5U6ms',
  ]);
  const [sha256, sha512] = (['sha256', 'sha512'] as const).map((algorithm) =>
    importedDigestsOf({ algorithm, bytes: hashes[algorithm] }, keyRing([newer, older])),
  );
  expect(digestsOf(key, keyRing([newer, older]))).toEqual([...(sha256 ?? []), ...(sha512 ?? [])]);
  expect(new Set([...(sha256 ?? []), ...(sha512 ?? [])]).size).toBe(4);
});

test('what is stored in place of a released digest has the form of none', () => {
  expect(releasedDigest('key-1')).toBe('released key-1');
});
