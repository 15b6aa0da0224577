/**
 * What a searched text can mean: ids and prefixes anywhere in it, such as in a line of a log, the secret that it is, and
 * the text itself. Lists, the palette and “Try a key” understand texts by this alone.
 */
import { canonicalUuid } from '../../lib/uuid.ts';
import { searchable } from '../folded-text.ts';
import { startPattern } from '../secret/secret-shape.ts';
import type { ApiKey } from './api-key.ts';

/** A part of a text that can be a prefix, whole or cut off, with or without what follows it in a key. */
export interface PrefixFragment {
  /** `<tag>_<env>_` in lower case. */
  readonly start: string;
  /** 1 to 16 base62 characters, as they were written. */
  readonly random: string;
}

export interface SearchText {
  /** In one line, trimmed. */
  readonly text: string;
  readonly ids: readonly string[];
  readonly fragments: readonly PrefixFragment[];
}

/** As many of each in a text are looked for. */
const maxParts = 5;
const anyId = /(?<![0-9a-z])([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})(?![0-9a-z])/gi;
const anyFragment = new RegExp(`(${startPattern()})([0-9a-z]{1,16})`, 'gi');
/** `%3D`, `\u003d` and `\n`, whose last characters would look like the beginning of a tag. */
const escapes = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[bfnrt]/gi;

export function parseSearchText(searched: string): SearchText {
  const text = searched.trim().replace(/\s+/g, ' ');
  const plain = text.replace(escapes, ' ');
  const ids = [...plain.matchAll(anyId)].map(([, ...groups]) => canonicalUuid(groups.slice(0, 5).join('-')));
  const fragments = [...plain.matchAll(anyFragment)].map(([, start = '', random = '']) => ({
    start: start.toLowerCase(),
    random,
  }));
  return {
    text,
    ids: [...new Set(ids)].slice(0, maxParts),
    fragments: fragments
      .filter(
        ({ start, random }, i) =>
          fragments.findIndex((other) => other.random === random && other.start === start) === i,
      )
      .slice(0, maxParts),
  };
}

/** Whether a name may be in a link: somebody can have named a key by a part of a secret. */
export function isLinkable(name: string): boolean {
  return !/[0-9A-Za-z_]{30}/.test(name);
}

/** The base62 characters of a prefix that Latchkey creates, and the fewest of any prefix. */
const prefixCharacters = { usual: 8, min: 4 };

/** Returns the whole prefixes that a fragment can begin with: those of imported keys have other lengths. */
export function wholePrefixes({ start, random }: PrefixFragment): readonly string[] {
  const { usual, min } = prefixCharacters;
  const lengths = Array.from({ length: Math.max(0, random.length - min + 1) }, (_, i) => i + min);
  const written = lengths.map((length) => start + random.slice(0, length));
  const inOtherCase = random.length < usual ? [] : casesOf(random.slice(0, usual)).map((one) => start + one);
  return [...new Set([...written, ...inOtherCase])];
}

/** Returns the beginnings of the prefixes that a cut fragment stands for; none if too many keys would have them. */
export function prefixBeginnings({ start, random }: PrefixFragment): readonly string[] {
  const { usual, min } = prefixCharacters;
  return random.length < min || random.length >= usual ? [] : casesOf(random).map((one) => start + one);
}

/** Returns the text, and if its case may have been lost, in every case: at most 256 texts, each for an index. */
function casesOf(text: string): readonly string[] {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return [text];
  return [...text].reduce<readonly string[]>(
    (begun, character) =>
      [...new Set([character.toLowerCase(), character.toUpperCase()])].flatMap((one) => begun.map((all) => all + one)),
    [''],
  );
}

export const keyMatches = ['ID', 'PREFIX', 'SECRET', 'NAME', 'EXTERNAL_ID', 'TAG', 'DESCRIPTION'] as const;
/** What of a key a text was found in. */
export type KeyMatch = (typeof keyMatches)[number];

type Searched = Pick<ApiKey, 'id' | 'prefix' | 'previousPrefix' | 'name' | 'externalId' | 'tags' | 'description'>;

/** Returns how a text finds a key: first by what says which key is meant. Null if by nothing of this. */
export function matchOf(search: SearchText, key: Searched): KeyMatch | null {
  if (search.ids.includes(key.id)) return 'ID';
  if (prefixPart(search, key) !== null) return 'PREFIX';
  const text = searchable(search.text);
  const isIn = (value: string | null) => value !== null && searchable(value).includes(text);
  const isExternal = key.externalId !== null && search.ids.includes(key.externalId.toLowerCase());
  if (isIn(key.name)) return 'NAME';
  if (isExternal || isIn(key.externalId)) return 'EXTERNAL_ID';
  if (key.tags.some(isIn)) return 'TAG';
  return isIn(key.description) ? 'DESCRIPTION' : null;
}

/** Returns the part of the text that is of a key's prefix or previous prefix, as the key has it. */
export function prefixPart(
  { text, fragments }: SearchText,
  key: Pick<ApiKey, 'prefix' | 'previousPrefix'>,
): string | null {
  const prefixes = [key.prefix, key.previousPrefix ?? key.prefix];
  for (const { start, random } of fragments) {
    const fragment = (start + random).toLowerCase();
    for (const prefix of prefixes) {
      const folded = prefix.toLowerCase();
      // What follows a prefix of the usual length is not of the prefix: logs write `lk_live_4fJx81Qzxxxx` too.
      if (folded.startsWith(fragment)) return prefix.slice(0, fragment.length);
      if (folded.length > start.length && fragment.startsWith(folded)) return prefix;
    }
  }
  return prefixes.find((prefix) => prefix.toLowerCase() === text.toLowerCase()) ?? null;
}
