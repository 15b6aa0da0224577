import { expect, it } from 'vitest';
import { keysUrlOf } from '../../src/auth/oidc/discovery.ts';

it('keys of a provider with TLS are never fetched without TLS, which would let others sign ID tokens', () => {
  const issuer = 'https://login.example.test';
  const keysUrl = 'https://keys.example.test/jwks';
  expect(keysUrlOf({ issuer, jwks_uri: keysUrl })).toBe(keysUrl);
  expect(() => keysUrlOf({ issuer, jwks_uri: 'http://keys.example.test/jwks' })).toThrow('without TLS');
  expect(() => keysUrlOf({ issuer })).toThrow('no keys');
});
