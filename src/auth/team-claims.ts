/** The teams of a caller in the claims of a token. Providers write the same teams in different forms. */

import { type Permission, permissions } from '../domain/key/permission.ts';
import { claimAt } from '../lib/claim-at.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { tryParseJson } from '../lib/try-parse-json.ts';
import { isUuid } from '../lib/uuid.ts';

export type TokenClaims = JsonObject;
export type Teams = ReadonlyMap<string, ReadonlySet<Permission>>;

export interface ClaimRules {
  /** The name of a claim, or the path to one in other claims, such as `realm_access.roles`. */
  readonly teamsClaim: string;
  readonly teamNamesClaim: string;
  /** Called for each permission in a team that is not, character by character, one of ours: it grants nothing. */
  readonly onUnknownPermission?: ((permission: string, teamId: string) => void) | undefined;
  /** Called with the kind of each member that names no team or permission, and is no role for something else. */
  readonly onIgnoredMember?: ((kind: string) => void) | undefined;
}

/**
 * Returns the permissions in each team, or null if the claim is missing or names no team. An empty object is a caller
 * without teams. Accepts, also as JSON text:
 * - `{"<team id>": ["view_team"]}`, or a text for a single permission;
 * - `["<team id>:view_team"]`, for providers whose roles are texts; a text for a single role; a list that became an
 *   object with its indices as names; and objects as members, as Keycloak sends attributes with several values;
 * - `{"<team id>:view_team": {"<organization>": "<domain>"}}`, as Zitadel sends roles.
 */
export function teamsIn(claims: TokenClaims, rules: ClaimRules): Teams | null {
  const claim = decoded(claimAt(claims, rules.teamsClaim));
  const members = new Members(rules);
  if (typeof claim === 'string') members.addRole(claim);
  else if (Array.isArray(claim)) for (const member of claim) members.add(decoded(member));
  else if (isJsonObject(claim)) members.addObject(claim);
  else return null;
  const isEmpty = isJsonObject(claim) && Object.keys(claim).length === 0;
  return members.teams.size > 0 || isEmpty ? members.teams : null;
}

class Members {
  readonly teams = new Map<string, Set<Permission>>();
  readonly #rules: ClaimRules;

  constructor(rules: ClaimRules) {
    this.#rules = rules;
  }

  add(member: unknown): void {
    if (typeof member === 'string') this.addRole(member);
    else if (isJsonObject(member)) this.addObject(member);
    else this.#ignore(member);
  }

  addObject(object: TokenClaims): void {
    for (const [name, value] of Object.entries(object)) {
      if (isUuid(name)) this.#addTeam(name.toLowerCase(), value);
      else if (isJsonObject(value) && name.includes(':')) this.addRole(name);
      else if (typeof value === 'string' && /^\d+$/.test(name)) this.addRole(value);
      else if (!isJsonObject(value)) this.#ignore(value);
    }
  }

  /** A text without the id of a team is a role for something else. */
  addRole(role: string): void {
    // Everything after the first colon: `<team id>:view_team:read-only` is not `view_team`.
    const [, written = '', permission = ''] = /^([^:]*):(.*)$/s.exec(role) ?? [];
    const teamId = written.toLowerCase();
    if (!isUuid(teamId)) {
      if (isPermission(permission)) this.#ignore(role);
    } else if (this.#isGranted(permission, teamId)) this.#permissionsIn(teamId).add(permission);
  }

  #addTeam(teamId: string, value: unknown): void {
    const names = decoded(value);
    if (typeof names !== 'string' && !Array.isArray(names)) {
      this.#ignore(value);
      return;
    }
    const granted = this.#permissionsIn(teamId);
    for (const name of [names].flat()) {
      if (typeof name !== 'string') this.#ignore(name);
      else if (this.#isGranted(name, teamId)) granted.add(name);
    }
  }

  #permissionsIn(teamId: string): Set<Permission> {
    const granted = this.teams.get(teamId) ?? new Set();
    this.teams.set(teamId, granted);
    return granted;
  }

  /** Unknown permissions belong to other services or to a newer version, and do not make the token invalid. */
  #isGranted(text: string, teamId: string): text is Permission {
    if (isPermission(text)) return true;
    this.#rules.onUnknownPermission?.(text, teamId);
    return false;
  }

  #ignore(member: unknown): void {
    this.#rules.onIgnoredMember?.(kindOf(member));
  }
}

/** Reads a JSON text of a list or an object, as providers send that know only texts. */
export function decoded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return tryParseJson(value) ?? value;
}

const maxDescribed = 40;
const maxDescribedCharacters = 1500;

/** Returns the names and kinds of claims, for the log: never their values. */
export function describeClaims(claims: TokenClaims): string {
  const entries = Object.entries(claims);
  const shown = entries.slice(0, maxDescribed).map(([name, value]) => `${shownName(name)} (${kindOf(value)})`);
  const more = entries.length > maxDescribed ? [`and ${entries.length - maxDescribed} more`] : [];
  return [...shown, ...more].join(', ').slice(0, maxDescribedCharacters) || 'no claims';
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (!isJsonObject(value)) return value === null ? 'null' : typeof value;
  const names = Object.keys(value);
  // The names lead to a nested claim.
  const isNamed = names.length > 0 && names.length <= 5 && names.every((name) => /^[A-Za-z][\w-]{0,39}$/.test(name));
  return isNamed ? `object with ${names.join(', ')}` : `object of ${names.length}`;
}

function shownName(name: string): string {
  return /^[\w:/.#-]{1,100}$/.test(name) ? name : `a name of ${name.length} characters`;
}

export function isPermission(value: unknown): value is Permission {
  return permissions.some((known) => known === value);
}
