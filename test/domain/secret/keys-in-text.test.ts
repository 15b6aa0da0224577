/** Keys and derived tokens are found in other texts, whatever the text costs whoever wrote it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { mintDerived } from '../../../src/domain/derived/derived-token.ts';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { keysIn, secretsIn } from '../../../src/domain/secret/keys-in-text.ts';
import { mintSecret } from '../../../src/domain/secret/secret.ts';

const ring = keyRing([{ id: 'newest', bytes: randomBytes(32) }]);
const key = () => mintSecret('lk', 'live', randomBytes).secret;
function token(...scopes: string[]): string {
  const ids = { keyId: randomUUID(), secretVersion: 1, expiresAt: Date.now(), sources: null, label: null };
  return mintDerived('lk', 'live', { ...ids, scopes }, ring) ?? expect.fail('the token is too long');
}

it.each(['', 'KEY=', '\\u003d', 'the_', 'x_live_d_', `${'a'.repeat(20)}`])(
  'finds them after "%s", in order',
  (before) => {
    for (let i = 0; i < 50; i += 1) {
      const secrets = [
        token(),
        key(),
        token('orders:read'),
        token(...Array.from({ length: 40 }, (_, n) => `scope-${n}`)),
      ];
      expect(keysIn(secrets.map((secret) => `${before}${secret}\n`).join(''))).toEqual(secrets);
    }
  },
);

it('a token that was cut, or changed anywhere, is none', () => {
  const text = token('orders:read');
  expect(keysIn(text.slice(0, -1))).toEqual([]);
  for (let i = 'lk_live_d_'.length; i < text.length; i += 1) {
    expect(keysIn(text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1))).toEqual([]);
  }
});

it('a text that consists of starts of tokens costs about as much as any other', () => {
  const cpuOf = (text: string) => {
    const once = () => {
      const start = process.cpuUsage();
      for (let i = 0; i < 50; i += 1) secretsIn(text);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    // Less than a millisecond is noise.
    return Math.max(1000, Math.min(...Array.from({ length: 5 }, once)));
  };
  const starts = 'aaaaaaaaaaaaaaaa_live_d_'.repeat(45);
  // It was 150 times as much: each start took the checksum of all that followed.
  expect(cpuOf(`${starts}abcdef`) / cpuOf(starts.replaceAll('_d_', '_e_'))).toBeLessThan(30);
});
