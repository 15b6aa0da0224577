/** Reports of leaked keys in the format of GitHub's secret scanning partner program, and the answers to them. */
import { hash } from 'node:crypto';
import querystring from 'node:querystring';
import { badInput } from '../domain/errors.ts';
import type { LeakMatch } from '../domain/leak.ts';
import { limits } from '../domain/limits.ts';
import { secretPattern } from '../domain/secret/secret-shape.ts';
import { replaceControlCharacters } from '../domain/text.ts';

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
 * because GitHub may add some. Throws BAD_USER_INPUT for any other array, and for what is not an array.
 *
 * No match is an error: otherwise, one unusual match would keep the leaked keys of the others from being handled.
 */
export function parseMatches(body: unknown): readonly LeakMatch[] {
  if (!Array.isArray(body) || body.length === 0) {
    throw badInput([{ field: 'body', message: `must be an array of 1 to ${limits.reportedLeaks} matches` }]);
  }
  if (body.length > limits.reportedLeaks) {
    throw badInput([{ field: 'matches', message: `must have at most ${limits.reportedLeaks} entries` }]);
  }
  return body.map(matchOf);
}

/** Cuts the texts that are stored, and removes keys from them. Keeps the token as it is, because the answer has its hash. */
function matchOf(item: unknown): LeakMatch {
  const text = (name: keyof LeakMatch): string => {
    const value: unknown = Reflect.get(Object(item), name);
    return typeof value === 'string' ? value : '';
  };
  // An empty token is never a key.
  const token = text('token');
  const line = (name: keyof LeakMatch, maxCharacters: number) =>
    replaceControlCharacters(withoutKeys(text(name), token).slice(0, maxCharacters));
  return {
    token,
    type: line('type', limits.leakTextCharacters),
    url: line('url', limits.leakUrlCharacters),
    source: line('source', limits.leakTextCharacters),
  };
}

const anyKey = new RegExp(secretPattern(), 'g');
/** A shorter text is not a key, and could be part of any URL. */
const minTokenCharacters = 8;

/** The place of a leak can contain the key, for example in the query of a URL, and is stored in the audit trail. */
function withoutKeys(text: string, token: string): string {
  const spellings = token.length < minTokenCharacters ? [] : [token, encodeURIComponent(token.toWellFormed())];
  const rest = spellings.reduce((left, spelling) => left.replaceAll(spelling, '…'), text).replace(anyKey, '…');
  return spellings.length > 0 && hidesToken(rest, token) ? '…' : rest;
}

/** A URL can be encoded more than once, by proxies and redirects. */
const maxEncodings = 3;

/** Whether the text contains the token in another percent-encoding. */
function hidesToken(text: string, token: string): boolean {
  let decoded = text;
  for (let i = 0; i < maxEncodings && decoded.includes('%'); i += 1) {
    // Never throws, unlike decodeURIComponent.
    decoded = querystring.unescape(decoded);
    if (decoded.includes(token)) return true;
  }
  return false;
}

/** Returns the answer to a report: one entry for each match, in the same order. */
export function answersTo(matches: readonly LeakMatch[], areKeys: readonly boolean[]): readonly MatchAnswer[] {
  return matches.map(({ token, type }, index) => ({
    token_hash: hash('sha256', token),
    token_type: type,
    label: areKeys[index] === true ? 'true_positive' : 'false_positive',
  }));
}
