/** The rules for the session tokens of the management port. */
import type { Logger } from 'pino';
import type { TokenRules } from '../auth/session-token.ts';
import type { ClaimRules } from '../auth/team-claims.ts';
import { publicTokenKeys, secretTokenKeys, type TokenKeys } from '../auth/token-keys.ts';
import type { Configuration } from '../config/configuration.ts';
import type { GeneratedSecrets } from '../config/secrets-file.ts';
import { WindowCounts } from '../lib/window-counts.ts';

export function tokenRules(configuration: Configuration, keys: TokenKeys, log?: ClaimLog): TokenRules {
  return {
    keys,
    ...claimRules(configuration, log),
    issuer: configuration.JWT_ISSUER,
    audience: configuration.JWT_AUDIENCE,
    maxLifetimeSeconds: configuration.JWT_MAX_LIFETIME,
  };
}

export function claimRules(configuration: Configuration, log?: ClaimLog): ClaimRules {
  return {
    teamsClaim: configuration.JWT_TEAMS_CLAIM,
    teamNamesClaim: configuration.JWT_TEAM_NAMES_CLAIM,
    ...log,
  };
}

const maxLoggedCharacters = 100;

export type ClaimLog = Required<Pick<ClaimRules, 'onUnknownPermission' | 'onIgnoredMember'>>;

/** Logs one of each kind a minute: what is wrong at the identity provider is in every call of its users. */
export function claimLog(log: Pick<Logger, 'warn'>, nowMs = () => performance.now()): ClaimLog {
  const logged = new WindowCounts({ limit: 1, windowSeconds: 60 });
  const oncePerMinute = (kind: string, log: () => void): void => {
    if (logged.take(kind, nowMs()) === null) log();
  };
  return {
    onUnknownPermission: (permission, teamId) =>
      oncePerMinute('permission', () => {
        const shown = permission.slice(0, maxLoggedCharacters);
        log.warn({ teamId, permission: shown }, 'a session token grants an unknown permission, which is ignored');
      }),
    onIgnoredMember: (kind) =>
      oncePerMinute('member', () =>
        log.warn(
          { kind },
          'JWT_TEAMS_CLAIM of a token has a member that names no team by its id (UUID), or no permission, which is ignored',
        ),
      ),
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
