/** Reports of leaked keys in the format of GitHub's secret scanning partner program, and the answers to them. */
import { hash } from 'node:crypto';
import { badInput } from '../domain/errors.ts';
import type { LeakMatch } from '../domain/leak.ts';
import { limits } from '../domain/limits.ts';
import { type ParsedFields, parsedList, parsedObject, parseFields, type Result } from '../domain/parse-fields.ts';
import { hasControlCharacters } from '../domain/text.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

/** What became of one match. The token is never repeated, so that answers can be logged. */
export interface MatchAnswer {
  /** SHA-256 of the token in UTF-8, as 64 hexadecimal characters. */
  readonly token_hash: string;
  readonly token_type: string;
  /** `true_positive`: the token is, or was, the secret of a key. */
  readonly label: 'true_positive' | 'false_positive';
}

/**
 * Parses the body of a report: a JSON array of 1 to 1,000 objects `{token, type, url?, source?}`. Ignores other fields,
 * because GitHub may add some. Throws BAD_USER_INPUT with messages that repeat no value.
 */
export function parseMatches(body: unknown): readonly LeakMatch[] {
  if (!Array.isArray(body) || body.length === 0) {
    throw badInput([{ field: 'body', message: `must be an array of 1 to ${limits.reportedLeaks} matches` }]);
  }
  return parseFields({ matches: parsedList<unknown, LeakMatch>(body, limits.reportedLeaks, parseMatch) }).matches;
}

function parseMatch(item: unknown): Result<LeakMatch> {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return rejected('must be an object');
  const field = (name: keyof LeakMatch): unknown => Reflect.get(item, name);
  const parsed: ParsedFields<LeakMatch> = parsedObject({
    token: parseText(field('token'), limits.presentedCharacters),
    type: parseText(field('type'), limits.leakTextCharacters),
    url: parseText(field('url') ?? '', limits.leakUrlCharacters),
    source: parseText(field('source') ?? '', limits.leakTextCharacters),
  });
  return parsed;
}

function parseText(value: unknown, maxCharacters: number): Parsed<string> {
  if (typeof value !== 'string') return rejected('must be a text');
  if (value.length > maxCharacters) return rejected(`must have at most ${maxCharacters} characters`);
  return hasControlCharacters(value) ? rejected('must have no control characters') : accepted(value);
}

/** Returns the answer to a report: one entry for each match, in the same order. */
export function answersTo(matches: readonly LeakMatch[], areKeys: readonly boolean[]): readonly MatchAnswer[] {
  return matches.map(({ token, type }, index) => ({
    token_hash: hash('sha256', token),
    token_type: type,
    label: areKeys[index] === true ? 'true_positive' : 'false_positive',
  }));
}
