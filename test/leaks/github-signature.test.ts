import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { githubSignatureOf, isSignedByGithub, parseGithubKey } from '../../src/leaks/github-signature.ts';
import { githubExamples } from './github-example.ts';

const headersOf = ({ keyId, signature }: { readonly keyId: string; readonly signature: string }) => ({
  'github-public-key-identifier': keyId,
  'github-public-key-signature': signature,
});

describe.each(githubExamples)("GitHub's example with the key $keyId", (example) => {
  const key = parseGithubKey(example.key);
  const signature = githubSignatureOf(headersOf(example));
  const isSigned = (body: string, by = key) =>
    signature !== null && by !== null && isSignedByGithub(Buffer.from(body), signature, by);

  it('is accepted', () => {
    expect(signature?.keyId).toBe(example.keyId);
    expect(isSigned(example.body)).toBe(true);
  });

  it('is rejected if anything of its bytes differs, even if the JSON means the same', () => {
    for (const body of [` ${example.body}`, `${example.body}\n`, example.body.replace('some_token', 'some_tokem'), ''])
      expect(isSigned(body)).toBe(false);
  });

  it('is rejected with another key', () => {
    const other = githubExamples.find(({ keyId }) => keyId !== example.keyId);
    expect(isSigned(example.body, parseGithubKey(other?.key ?? ''))).toBe(false);
  });
});

it.each([
  ['no headers', {}],
  ['no key id', { 'github-public-key-signature': 'MEQCIA==' }],
  ['no signature', { 'github-public-key-identifier': 'a1' }],
  ['an empty signature', headersOf({ keyId: 'a1', signature: '' })],
  ['a signature in hexadecimal, of a kind that is too long', headersOf({ keyId: 'a1', signature: 'ab'.repeat(70) })],
  ['a signature in base64url', headersOf({ keyId: 'a1', signature: 'MEQCIA-_MEQCIA-_' })],
  ['a key id with other characters', headersOf({ keyId: '../keys', signature: 'MEQCIA==' })],
  ['a key id of enormous length', headersOf({ keyId: 'a'.repeat(129), signature: 'MEQCIA==' })],
])('reads no signature from %s', (_, headers) => {
  expect(githubSignatureOf(headers)).toBe(null);
});

it('rejects signatures that are no DER, or have the form of JWTs, without an exception', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = Buffer.from('[]');
  const raw = createSign('sha256').update(body).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' });
  expect(
    isSignedByGithub(body, { keyId: 'a1', bytes: createSign('sha256').update(body).sign(privateKey) }, publicKey),
  ).toBe(true);
  for (const bytes of [raw, Buffer.alloc(0), Buffer.alloc(70), Buffer.from('MEQC')])
    expect(isSignedByGithub(body, { keyId: 'a1', bytes }, publicKey)).toBe(false);
});

describe('a key of the list', () => {
  const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it('is used if it is elliptic on P-256', () => {
    expect(parseGithubKey(pem(p256.publicKey))?.equals(p256.publicKey)).toBe(true);
  });

  it.each([
    ['RSA', pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)],
    ['on another curve', pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey)],
    ['Ed25519', pem(generateKeyPairSync('ed25519').publicKey)],
    ['private', p256.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['no key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
    ['empty', ''],
  ])('is not used if it is %s', (_, text) => {
    expect(parseGithubKey(text)).toBe(null);
  });
});
