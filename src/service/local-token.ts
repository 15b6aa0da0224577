/** Session tokens signed with a secret of this machine, for services without an identity provider. */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { acceptToken, linkType } from '../auth/session-token.ts';
import { secretTokenKeys } from '../auth/token-keys.ts';
import { type Configuration, ConfigurationError } from '../config/configuration.ts';
import type { Permission } from '../domain/key/permission.ts';
import { tokenRules } from './token-rules.ts';

/** The team in the examples, in the sign-in link of the first start, and in tokens without `--team`. */
export const exampleTeam = '11111111-1111-4111-8111-111111111111';

/** The default lifetime of tokens for a first sign-in and of the commands. */
export const localTokenSeconds = 3600;

interface LocalToken {
  readonly teams: Readonly<Record<string, readonly Permission[]>>;
  readonly names?: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly seconds: number;
  /** For a sign-in link. It is not accepted for calls. */
  readonly isForLink?: boolean;
}

/** Throws ConfigurationError for a lifetime that is not allowed, UNAUTHENTICATED for a token that the service rejects. */
export async function signLocalToken(
  configuration: Configuration,
  secret: string,
  { teams, names = {}, subject, seconds, isForLink = false }: LocalToken,
): Promise<string> {
  const { JWT_TEAMS_CLAIM, JWT_TEAM_NAMES_CLAIM, JWT_ISSUER, JWT_AUDIENCE, JWT_MAX_LIFETIME } = configuration;
  if (seconds > JWT_MAX_LIFETIME)
    throw new ConfigurationError([`--ttl: at most ${JWT_MAX_LIFETIME} seconds are allowed (JWT_MAX_LIFETIME)`]);
  const named = Object.keys(names).length === 0 ? {} : { [JWT_TEAM_NAMES_CLAIM]: names };
  const token = jwt.sign({ ...named, [JWT_TEAMS_CLAIM]: teams }, secret, {
    algorithm: 'HS256',
    subject,
    expiresIn: seconds,
    ...(isForLink ? { header: { alg: 'HS256', typ: linkType }, jwtid: randomUUID() } : {}),
    ...(JWT_ISSUER === undefined ? {} : { issuer: JWT_ISSUER }),
    ...(JWT_AUDIENCE === undefined ? {} : { audience: JWT_AUDIENCE }),
  });
  // Checks the token with the service's own rules, so that no token is issued that the service rejects.
  await acceptToken(`Bearer ${token}`, tokenRules(configuration, secretTokenKeys(secret)), new Date());
  return token;
}
