/** A key with which a program manages the keys of a team. It is none of the team's APIs. */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { FenceableKey } from '../fence/fence.ts';
import { type Permission, permissions } from '../key/permission.ts';
import { settings } from '../key/settings.ts';
import { limits } from '../limits.ts';
import { dayMs, hasPassed, parseExpiry } from '../moment.ts';
import { parsedList, type Result } from '../parse-fields.ts';
import { personOf } from './person.ts';

/** What a program can get. Who may give access, or weaken a policy, must be a person; so must who imports digests. */
export const grantablePermissions = ['view_team', 'manage_keys', 'manage_webhooks'] as const satisfies Permission[];
export type GrantablePermission = (typeof grantablePermissions)[number];

export interface ManagementKey {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly prefix: string;
  readonly digest: string;
  readonly pepperId: string;
  readonly permissions: readonly GrantablePermission[];
  /** As those of a key; empty for every source. */
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date;
  readonly createdAt: Date;
  /** The subject of the session that made it. */
  readonly createdBy: string;
  readonly revokedAt: Date | null;
  readonly secretVersion: number;
  readonly rotatedAt: Date | null;
  readonly previousPrefix: string | null;
  readonly previousDigest: string | null;
  readonly previousPepperId: string | null;
  /** Until when the previous secret is accepted; null if it is not. */
  readonly previousExpiresAt: Date | null;
  /** The sealed signing secret, if calls must be signed. */
  readonly signingEnvelope: string | null;
  readonly signingVersion: number;
}

export type ManagementKeyState = 'ACTIVE' | 'EXPIRED' | 'REVOKED';

export function managementKeyState(
  { revokedAt, expiresAt }: Pick<ManagementKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ManagementKeyState {
  if (revokedAt !== null) return 'REVOKED';
  return hasPassed(expiresAt, now) ? 'EXPIRED' : 'ACTIVE';
}

/** What a fence can be about, of a management key or a trust rule: who made it is responsible for it. */
export function fenceable({ createdBy, createdAt }: Pick<ManagementKey, 'createdBy' | 'createdAt'>): FenceableKey {
  return { env: null, tags: [], externalId: null, responsible: personOf(createdBy), createdAt: createdAt.getTime() };
}

const maxLifetimeDays = 366;

/** Parses the expiry, which every management key has: at most a year from now. */
export function parseManagementExpiry(expiresAt: Date, now: Date): Parsed<Date> {
  if (expiresAt.getTime() > now.getTime() + maxLifetimeDays * dayMs) return rejected('must be at most a year from now');
  return parseExpiry(expiresAt, now);
}

/** Parses allowed sources as those of a key. They are short, so that a list of all management keys is one answer. */
export function parseManagementSources(entries: readonly string[]): Result<readonly string[]> {
  const parsed = settings.allowedIps.parse(entries);
  if (!parsed.ok || parsed.value.join('').length <= limits.managementSourcesCharacters) return parsed;
  return rejected(`must have at most ${limits.managementSourcesCharacters} characters together`);
}

/** @param held the permissions of the maker: no program gets more than who lets it in */
export function parseGranted(
  names: readonly string[],
  held: ReadonlySet<Permission>,
): Result<readonly GrantablePermission[]> {
  if (names.length === 0) return rejected('must have at least one permission');
  return parsedList(names, permissions.length, (name, i) => {
    const permission = grantablePermissions.find((known) => known === name);
    if (permission === undefined) return rejected(`must be one of ${grantablePermissions.join(', ')}`);
    if (names.indexOf(name) < i) return rejected('must not be given twice');
    return held.has(permission) ? accepted(permission) : rejected('must be a permission that you have yourself');
  });
}
