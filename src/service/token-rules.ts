/** The rules for the session tokens of the management port. */
import type { Logger } from 'pino';
import type { ClaimRules, TokenRules } from '../auth/session-token.ts';
import { publicTokenKeys, secretTokenKeys, type TokenKeys } from '../auth/token-keys.ts';
import type { Configuration } from '../config/configuration.ts';
import type { GeneratedSecrets } from '../config/secrets-file.ts';

export function tokenRules(
  configuration: Configuration,
  keys: TokenKeys,
  log?: ClaimRules['onUnknownPermission'],
): TokenRules {
  return {
    keys,
    ...claimRules(configuration, log),
    issuer: configuration.JWT_ISSUER,
    audience: configuration.JWT_AUDIENCE,
    maxLifetimeSeconds: configuration.JWT_MAX_LIFETIME,
  };
}

export function claimRules(configuration: Configuration, log?: ClaimRules['onUnknownPermission']): ClaimRules {
  return {
    teamsClaim: configuration.JWT_TEAMS_CLAIM,
    teamNamesClaim: configuration.JWT_TEAM_NAMES_CLAIM,
    onUnknownPermission: log,
  };
}

const quietMs = 60_000;
const maxLoggedCharacters = 100;

/** Logs one unknown permission a minute: a misspelled one at the identity provider is in every call of its users. */
export function unknownPermissionLog(log: Pick<Logger, 'warn'>, nowMs = () => performance.now()) {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  return (permission: string, teamId: string): void => {
    if (nowMs() < quietUntilMs) return;
    quietUntilMs = nowMs() + quietMs;
    const shown = permission.slice(0, maxLoggedCharacters);
    log.warn({ teamId, permission: shown }, 'a session token grants an unknown permission, which is ignored');
  };
}

/** Logs an error if the key set can't be used. The service starts anyway, because the problem may be temporary. */
export async function reportKeySet(url: string, log: Logger): Promise<void> {
  const { problemOfKeySet } = await import('../auth/key-set.ts');
  const problem = await problemOfKeySet(url);
  if (problem !== null) log.error({ problem }, 'JWT_JWKS_URL cannot be used: session tokens are rejected until it can');
}

export async function tokenKeys(
  { JWT_SECRET, JWT_PUBLIC_KEY, JWT_JWKS_URL }: Configuration,
  generated: GeneratedSecrets | null,
): Promise<TokenKeys> {
  if (JWT_PUBLIC_KEY !== undefined) return publicTokenKeys(JWT_PUBLIC_KEY);
  if (JWT_JWKS_URL !== undefined) return (await import('../auth/key-set.ts')).jwksTokenKeys(JWT_JWKS_URL);
  const secret = JWT_SECRET ?? generated?.jwtSecret;
  if (secret === undefined) throw new Error('a missing secret is always generated');
  return secretTokenKeys(secret);
}
