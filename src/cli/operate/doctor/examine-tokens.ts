/** Checks what verifies session tokens, and the identity provider at which users sign in. */
import { problemOfKeySet } from '../../../auth/key-set.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { error, type Finding, ok, warning } from './finding.ts';

export async function examineKeySet({ JWT_JWKS_URL }: Configuration): Promise<Finding[]> {
  if (JWT_JWKS_URL === undefined) return [];
  const problem = await problemOfKeySet(JWT_JWKS_URL);
  return problem === null
    ? [ok('session tokens', 'JWT_JWKS_URL has keys that can verify them')]
    : [error('session tokens', `JWT_JWKS_URL: ${problem}`)];
}

export async function examineProvider(configuration: Configuration): Promise<Finding[]> {
  if (configuration.OIDC_ISSUER === undefined) return [];
  const what = 'sign-in';
  const { identityProvider } = await import('../../../service/sign-in.ts');
  const provider = identityProvider(configuration);
  const problem = await provider.problem();
  if (problem !== null) return [error(what, `OIDC_ISSUER: ${problem}`)];
  const rejected = await provider.credentialsProblem();
  if (rejected === undefined) {
    const note = 'the identity provider can be used; whether it accepts OIDC_CLIENT_SECRET, only a sign-in shows';
    return [warning(what, note)];
  }
  return [
    rejected === null ? ok(what, 'the identity provider can be used, and accepts this client') : error(what, rejected),
  ];
}
