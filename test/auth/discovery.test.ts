import { expect, it } from 'vitest';
import { providerMetadataProblem } from '../../src/auth/oidc/discovery.ts';

const issuer = 'https://login.example.test';
const good = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: 'https://keys.example.test/jwks',
};

it('a discovery document needs no more than the members that are used', () => {
  expect(providerMetadataProblem(good)).toBeNull();
  expect(providerMetadataProblem({ ...good, userinfo_endpoint: `${issuer}/me` })).toBeNull();
  const algorithms = { id_token_signing_alg_values_supported: ['none', 'ES256'] };
  expect(providerMetadataProblem({ ...good, ...algorithms })).toBeNull();
});

it.each<[string, object, string]>([
  ['no keys', { jwks_uri: undefined }, 'has no jwks_uri'],
  ['null as keys', { jwks_uri: null }, 'has no jwks_uri'],
  ['no token endpoint', { token_endpoint: undefined }, 'has no token_endpoint'],
  ['no page', { authorization_endpoint: undefined }, 'has no authorization_endpoint'],
  ['a list as keys', { jwks_uri: [good.jwks_uri] }, 'has no https URL as jwks_uri'],
  ['a path as page', { authorization_endpoint: '/authorize' }, 'has no https URL as authorization_endpoint'],
  // Others could sign ID tokens.
  ['keys without TLS', { jwks_uri: 'http://keys.example.test/jwks' }, 'has no https URL as jwks_uri'],
  ['a token endpoint without TLS', { token_endpoint: 'http://a.test' }, 'has no https URL as token_endpoint'],
  ['userinfo without TLS', { userinfo_endpoint: 'http://a.test' }, 'has no https URL as userinfo_endpoint'],
  [
    'other algorithms',
    { id_token_signing_alg_values_supported: ['EdDSA', 'RS512'] },
    'names neither RS256 nor ES256 in id_token_signing_alg_values_supported',
  ],
])('a discovery document with %s is reported by the name of the member', (_, changed, problem) => {
  expect(providerMetadataProblem({ ...good, ...changed })).toBe(problem);
});
