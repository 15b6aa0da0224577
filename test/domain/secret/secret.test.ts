// SECURITY.md: A copy of the database
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPrefix } from '../../../src/domain/key/key-prefix.ts';
import {
  classify,
  mintSecret,
  parseImportedPrefix,
  prefixOfSecret,
  toBase62,
} from '../../../src/domain/secret/secret.ts';
import { tagShape } from '../../../src/domain/secret/secret-shape.ts';

const counting = (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => i));
const tag = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);
const env = fc.constantFrom('live', 'test');
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map((array) => Buffer.from(array));
const minted = fc
  .tuple(tag, env, bytes(16), bytes(32))
  .map(([tag, env, label, body]) => mintSecret(tag, env, (size) => (size === 16 ? label : body)));
const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

test('a secret is made of the tag, the environment, 8 + 43 random characters and a CRC-32, all in base 62', () => {
  // Computed with Python's zlib.crc32 and divmod from the bytes 00 01 02 ….
  expect(mintSecret('lk', 'live', counting)).toEqual({
    prefix: 'lk_live_OGusQGwp',
    secret: 'lk_live_OGusQGwp_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Y7LfW',
  });
});

test('the random part has 256 bits, and shares none of them with the prefix, which is logged', () => {
  const asked: number[] = [];
  mintSecret('lk', 'test', (size) => {
    asked.push(size);
    return counting(size);
  });
  expect(asked).toEqual([16, 32]);
});

test('every minted secret has the documented shape, is recognized by its prefix, and not taken for its prefix', () => {
  fc.assert(
    fc.property(minted, ({ secret, prefix }) => {
      expect(secret).toMatch(/^[a-z][a-z0-9]{0,15}_(live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/);
      expect(secret.startsWith(`${prefix}_`)).toBe(true);
      expect(prefixOfSecret(secret)).toBe(prefix);
      expect(isPrefix(prefix)).toBe(true);
      const others = [secret, ` ${prefix}`, `${prefix}\n`, prefix.slice(0, 3), `${prefix}${'0'.repeat(20)}`, ''];
      expect(others.filter(isPrefix)).toEqual([]);
    }),
  );
});

test('a secret with any one character changed is rejected', () => {
  const character = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  );
  fc.assert(
    fc.property(minted, fc.nat(), character, ({ secret }, at, character) => {
      const i = at % secret.length;
      fc.pre(secret[i] !== character);
      expect(prefixOfSecret(secret.slice(0, i) + character + secret.slice(i + 1))).toBeNull();
    }),
    { numRuns: 2000 },
  );
});

test('a secret with anything before, behind or between is rejected', () => {
  const { secret, prefix } = mintSecret('lk', 'live', counting);
  for (const text of [` ${secret}`, `${secret} `, `${secret}\n`, `Bearer ${secret}`, secret + secret, prefix, ''])
    expect(prefixOfSecret(text), JSON.stringify(text)).toBeNull();
});

test('a secret of an environment that does not exist is rejected, even with a valid checksum', () => {
  // The checksums are zlib.crc32 of what stands before them; the first line shows that the method is right.
  expect(prefixOfSecret('lk_live_00000000_00000000000000000000000000000000000000000000gUBgu')).toBe('lk_live_00000000');
  expect(prefixOfSecret('lk_prod_00000000_00000000000000000000000000000000000000000003Trr4H')).toBeNull();
});

test('arbitrary text is not a secret, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(utf16, fc.string({ unit: 'binary' }), fc.stringMatching(/^lk_live_\w{8}_\w{49}$/)), (text) => {
      expect(prefixOfSecret(text)).toBeNull();
    }),
  );
});

test('a tag is 1 to 16 small letters and digits, a letter first', () => {
  for (const good of ['a', 'lk', 'acme2', 'a234567890123456']) expect(good).toMatch(tagShape);
  for (const bad of ['', '2a', 'LK', 'l_k', 'lk\n', 'a2345678901234567']) expect(bad).not.toMatch(tagShape);
});

test('a presented text is classified by its format, and by its checksum if it has our own format', () => {
  const { secret } = mintSecret('lk', 'live', counting);
  const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
  const formats = {
    valid: [secret],
    'wrong checksum': [wrong],
    foreign: ['sk_imported', `x-${secret}`, `${secret}x`, '!~', 'x'.repeat(1000)],
    'wrong shape': ['', 'with space', 'é', '\x7f', `Bearer ${secret}`, 'x'.repeat(1001)],
  };
  for (const [format, texts] of Object.entries(formats)) {
    for (const text of texts) expect(classify(text), text).toBe(format);
  }
});

test.each([
  'acme_Nuz1',
  '3ZabT',
  'sk_l',
  'sk_test_4fJx81Qz',
  'SG.ngeVfQFY',
  'v1_acme-prod_a/+=b81Q',
  'acme_production_key_Nuz1',
  'acme-test-Nuz1',
  '!~"<',
  `a1b2c3d4e5f6a7b8_test_4fJx81Qz`,
])('%s can be the prefix of an imported key', (prefix) => {
  expect(parseImportedPrefix(prefix, 'test')).toEqual({ ok: true, value: prefix });
  expect(isPrefix(prefix)).toBe(true);
});

test.each([
  ['sk_test_51HabcdefghijKLM', 'sk_test_51Habcde'],
  ['abcdefghijklmnopqrstuvwx', 'abcdefgh'],
  ['6f9619ff-8b86-d011-b42d-', '6f9619ff'],
  ['acme_4fJx-81Qz_9Abc', 'acme_4fJx-81Q'],
  ['abcd-efgh-ijkl-mnop', 'abcd-efg'],
  ['ABCDE-FGH2J-KLMNP-QRS', 'ABCDE-FG'],
  ['deadbeef-cafe-4bad-', 'deadbeef'],
  ['ab_cd_ef_gh_ij_kl_mn_op', 'ab_cd_ef_gh_ij_kl'],
])('of the prefix %s, what would tell more than 8 characters of the random part is not kept', (given, kept) => {
  expect(parseImportedPrefix(given, 'test')).toEqual({ ok: true, value: kept });
});

test.each(['sk', 'x'.repeat(25), 'with space', 'Müll', 'tab\tx'])('%j is no prefix of an imported key', (prefix) => {
  const problem = 'must be the first 4 to 24 characters of the key, visible ASCII, such as sk_live_4fJx81Qz';
  expect(parseImportedPrefix(prefix, 'live')).toEqual({ ok: false, problem });
});

test('the prefix of an imported key names no other environment than that of the key', () => {
  const problem = 'must not name another environment: expected one such as sk_test_4fJx81Qz';
  expect(parseImportedPrefix('sk_live_4fJx', 'test')).toEqual({ ok: false, problem });
  expect(parseImportedPrefix('deliver_Nuz1', 'test')).toMatchObject({ ok: true });
});

test('base 62 has digits, capitals and small letters, is padded with zeros, and never cut', () => {
  const digits = Array.from({ length: 62 }, (_, i) => toBase62(BigInt(i), 1)).join('');
  expect(digits).toBe('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  expect([toBase62(3843n, 2), toBase62(0n, 8), toBase62(61n, 3)]).toEqual(['zz', '00000000', '00z']);
  expect(toBase62(2n ** 256n - 1n, 43)).toBe('yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1');
  expect(() => toBase62(62n, 1)).toThrow(new RangeError('the number does not fit 1 digits of base 62'));
});
