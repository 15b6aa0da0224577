import { searchable } from '../../domain/folded-text.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { accessOf } from '../../domain/key/permission.ts';
import { searchHint } from '../../domain/key/search-hint.ts';
import {
  isLinkable,
  type KeyMatch,
  keyMatches,
  matchOf,
  prefixPart,
  type SearchText,
} from '../../domain/key/search-text.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { parseImportedDigest } from '../../domain/secret/imported-digest.ts';
import { keysIn } from '../../domain/secret/keys-in-text.ts';
import { digestsOf, importedDigestsOf } from '../../domain/secret/secret-digest.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parseSearch } from './key-filter.ts';
import { entriesWithin } from './page.ts';

export interface FindKeysInput {
  readonly text: string;
  readonly teamId?: string | null | undefined;
}

export interface FoundKey {
  readonly apiKey: StoredKey;
  readonly match: KeyMatch;
}

export interface KeySearch {
  readonly keys: readonly FoundKey[];
  readonly hint: string | null;
  readonly linkable: string | null;
}

const maxKeys = 20;
/**
 * The maximum number of matches that are ranked. It is above `maxKeys`, because many newer keys can have the text in a tag.
 * Fewer are read if their texts are long, as on a page.
 */
const maxRanked = 200;
const maxTeams = 50;
const anyState = ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'] as const;

/**
 * Finds the keys that a text names in the caller's teams with `view_team`, by indexes, and in one team those whose texts
 * contain it. Needs `view_team` on that team. Throws FORBIDDEN, BAD_USER_INPUT (text), UNAVAILABLE.
 */
export async function findKeys(management: Management, caller: Caller, input: FindKeysInput): Promise<KeySearch> {
  const { store, keyTag } = management;
  const { teamId } = input;
  if (teamId != null) authorizeTeam(caller, teamId, 'view_team');
  const { text: search } = parseFields({ text: parseSearch(input.text) });
  const teamIds = teamsOf(caller, teamId);
  const bySecret = await findBySecrets(management, search);
  const named = await store.keys.findNamed(teamIds, search, [...bySecret]);
  const inTeam = teamId == null ? [] : await findInTeam(management, caller, teamId, search);
  const all = new Map([...inTeam, ...named].map((key) => [key.id, key]));
  const keys = [...all.values()]
    // Of an earlier prefix, the key's row knows nothing.
    .map(
      (apiKey) =>
        ({ apiKey, match: bySecret.has(apiKey.id) ? 'SECRET' : (matchOf(search, apiKey) ?? 'PREFIX') }) as const,
    )
    .sort((a, b) => rank(a, search, teamId) - rank(b, search, teamId))
    .slice(0, maxKeys);
  return { keys, hint: searchHint(search, keyTag, keys.length > 0), linkable: linkablePart(search, keys) };
}

function teamsOf({ session }: Caller, first: string | null | undefined): readonly string[] {
  const teams = [...session.teams.keys()].filter((id) => accessOf(session, id, 'view_team') === 'granted');
  return [...new Set([...(first == null ? [] : [first]), ...teams])].slice(0, maxTeams);
}

/** A key that has the text as its name is meant rather than one whose name contains it. */
function rank({ apiKey, match }: FoundKey, { text }: SearchText, teamId: string | null | undefined): number {
  const isPart = match === 'NAME' && searchable(apiKey.name) !== searchable(text);
  return 4 * keyMatches.indexOf(match) + (isPart ? 2 : 0) + (apiKey.teamId === teamId ? 0 : 1);
}

async function findInTeam({ store }: Management, { now }: Caller, teamId: string, search: SearchText) {
  const orderBy = { field: 'CREATED_AT', direction: 'DESC' } as const;
  const listing = { teamId, now, states: anyState, search, orderBy, limit: maxRanked };
  const { textBytes, read } = await store.keys.search(listing);
  return (await read(Math.max(maxKeys, entriesWithin(textBytes)))).map(({ key }) => key);
}

/** Each is hashed under every pepper. */
const maxSecrets = 5;
const minImportedCharacters = 16;

/** Returns the ids of keys that have, or had, a secret in the text, or the digest in it that they were imported by. */
async function findBySecrets({ store, peppers }: Management, { text }: SearchText): Promise<ReadonlySet<string>> {
  const words = text.split(/[\s"'`,;]+/).filter(({ length }) => length >= minImportedCharacters);
  const presented = [...new Set([...keysIn(text), ...words])].filter(
    ({ length }) => length <= limits.presentedCharacters,
  );
  const digests = presented.slice(0, maxSecrets).flatMap((secret) => {
    const digest = parseImportedDigest(secret);
    return [...digestsOf(secret, peppers), ...(digest.ok ? importedDigestsOf(digest.value, peppers) : [])];
  });
  if (digests.length === 0) return new Set();
  return new Set((await store.keys.findSecrets(digests)).map(({ keyId }) => keyId));
}

/** What found keys by a secret stays out of links: instead, the prefix that leads the secret. */
function linkablePart(search: SearchText, keys: readonly FoundKey[]): string | null {
  const parts = keys.flatMap(({ apiKey, match }) => {
    if (match === 'ID') return [apiKey.id];
    if (match === 'SECRET' || match === 'PREFIX') return prefixPart(search, apiKey) ?? [];
    return match === 'NAME' && isLinkable(search.text) ? [search.text] : [];
  });
  return parts.length === 0 ? null : [...new Set(parts)].join(' ');
}
