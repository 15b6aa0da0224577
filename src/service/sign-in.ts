/** Sign-in at an identity provider. This file and what it imports are loaded only with OIDC_ISSUER. */
import type { Logger } from 'pino';
import { IdentityProvider } from '../auth/oidc/identity-provider.ts';
import { SignInSeal } from '../auth/oidc/sign-in-seal.ts';
import type { Configuration } from '../config/configuration.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import type { SignIn } from '../http/session/browser-sessions.ts';
import { providerRouter } from '../http/session/provider-router.ts';
import { type ClaimLog, claimLog, claimRules } from './token-rules.ts';

/** The service starts also while the provider does not answer. The log then says so. */
export function signIn(configuration: Configuration, ring: KeyRing, log: Logger): SignIn {
  const provider = identityProvider(configuration, claimLog(log));
  void provider.problem().then((problem) => {
    if (problem !== null) log.error({ problem }, 'OIDC_ISSUER cannot be used: sign-ins fail until it can');
  });
  const seal = new SignInSeal(ring);
  return { provider, routes: (parts) => providerRouter({ provider, seal, ...parts }) };
}

export function identityProvider(configuration: Configuration, log?: ClaimLog): IdentityProvider {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = configuration;
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) {
    throw new Error('the configuration has all three or none');
  }
  return new IdentityProvider({
    issuer,
    clientId,
    clientSecret: configuration.OIDC_CLIENT_SECRET,
    scopes: configuration.OIDC_SCOPES,
    publicUrl,
    claims: claimRules(configuration, log),
  });
}
