/** Sessions of browsers. A session is in an encrypted cookie; only the ids of those that were ended are stored. */
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Permission, Session } from '../domain/key/permission.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { SealedClaims } from './sealed-claims.ts';
import { isPermission } from './team-claims.ts';

/** What is needed to ask the identity provider again. */
export interface ProviderSession {
  readonly issuer: string;
  /** When the session began, by the provider's clock (`iat` of the first ID token). */
  readonly startedAt: Date;
  /** The provider's id of its own session (`sid`), which its back-channel logout can name. */
  readonly sessionId?: string | undefined;
  readonly refreshToken?: string | undefined;
  /** Kept only without a refresh token. */
  readonly accessToken?: string | undefined;
  /** The hint that spares the user a confirmation at sign-out. Left out of a cookie without room for it. */
  readonly idToken?: string | undefined;
}

export interface BrowserSession {
  /** Stays the same when the session is renewed. It is not a secret. */
  readonly id: string;
  readonly session: Session;
  /** Until when the permissions may be relied on. Then the session has to be renewed. */
  readonly usableUntil: Date;
  readonly endsAt: Date;
  /** Null for a session that began with a session token. */
  readonly provider: ProviderSession | null;
}

export function newSessionId(): string {
  return randomUUID();
}

/** How long permissions are relied on. The dashboard renews its session earlier. */
const renewalMs = 15 * 60_000;

export function renewedUntil(now: Date, endsAt: Date): Date {
  return new Date(Math.min(now.getTime() + renewalMs, endsAt.getTime()));
}

const moment = z.number().transform((ms) => new Date(ms));

const contents = z.object({
  id: z.string(),
  sub: z.string(),
  teams: z.record(z.string(), z.array(z.string())),
  names: z.record(z.string(), z.string()),
  until: moment,
  ends: moment,
  provider: z
    .object({
      issuer: z.string(),
      startedAt: moment,
      sessionId: z.string().optional(),
      refreshToken: z.string().optional(),
      accessToken: z.string().optional(),
      idToken: z.string().optional(),
    })
    .nullable(),
});

/** Writes and reads the contents of the cookie. A change of their format needs another purpose. */
export class SessionSeal {
  readonly #claims: SealedClaims;

  constructor(ring: KeyRing) {
    this.#claims = new SealedClaims(ring, 'latchkey browser session 1');
  }

  async seal({ id, session, usableUntil, endsAt, provider }: BrowserSession): Promise<string> {
    const contents = {
      id,
      sub: session.subject,
      teams: Object.fromEntries([...session.teams].map(([teamId, granted]) => [teamId, [...granted]])),
      names: Object.fromEntries(session.teamNames),
      until: usableUntil.getTime(),
      ends: endsAt.getTime(),
      provider: provider === null ? null : { ...provider, startedAt: provider.startedAt.getTime() },
    };
    return await this.#claims.seal(contents);
  }

  /** Returns null for a text that no instance with these secrets wrote. Does not check times. */
  async open(text: string): Promise<BrowserSession | null> {
    const { success, data } = contents.safeParse(await this.#claims.open(text));
    if (!success) return null;
    const { id, sub: subject, until: usableUntil, ends: endsAt, provider } = data;
    const granted = Object.entries(data.teams).map(
      // An instance of a newer version can have written permissions that are not known here.
      ([teamId, names]): [string, ReadonlySet<Permission>] => [teamId, new Set(names.filter(isPermission))],
    );
    const session = { subject, teams: new Map(granted), teamNames: new Map(Object.entries(data.names)) };
    return { id, session, usableUntil, endsAt, provider };
  }
}

/** Returns the ids by which the session can have been ended: its own, and what its provider knows it by. */
export function endIdsOf({ id, session, provider }: BrowserSession): readonly string[] {
  if (provider === null) return [id];
  const { issuer, sessionId } = provider;
  const ids = [id, providerEndId(issuer, 'sub', session.subject)];
  return sessionId === undefined ? ids : [...ids, providerEndId(issuer, 'sid', sessionId)];
}

export function providerEndId(issuer: string, claim: 'sub' | 'sid', value: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, claim, value]))
    .digest('base64url');
}
