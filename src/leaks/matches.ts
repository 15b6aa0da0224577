/** Reports of leaked keys in the format of GitHub's secret scanning partner program, and the answers to them. */
import { hash } from 'node:crypto';
import { badInput, type FieldError } from '../domain/errors.ts';
import type { LeakMatch } from '../domain/leak.ts';
import { limits } from '../domain/limits.ts';
import { secretsIn } from '../domain/secret/keys-in-text.ts';
import { anySecretShape, secretPattern } from '../domain/secret/secret-shape.ts';
import { replaceControlCharacters } from '../domain/text.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { type DecodingBudget, spells } from './spellings.ts';

/** What became of one match. The token is never repeated, so that answers can be logged. */
export interface MatchAnswer {
  /** SHA-256 of the token in UTF-8, as 64 hexadecimal characters. */
  readonly token_hash: string;
  readonly token_type: string;
  /** `true_positive`: the token is, or was, the secret of a key that is no tripwire, or is derived from one. */
  readonly label: 'true_positive' | 'false_positive';
}

/**
 * Returns what is wrong with the first match that is not of the documented form, without its texts; null if none is. For
 * the operator's own scanners: a scanner that reports in another form must not learn that its matches are no keys.
 */
export function wrongMatchIn(matches: readonly unknown[]): FieldError | null {
  for (const [index, item] of matches.entries()) {
    const wrong = wrongIn(item);
    if (wrong !== null) return { ...wrong, field: `matches[${index}]${wrong.field}` };
  }
  return null;
}

function wrongIn(item: unknown): FieldError | null {
  if (!isJsonObject(item)) {
    return { field: '', message: 'must be an object with token, type, and if known url and source' };
  }
  const { token, type, url, source } = item;
  if (typeof token !== 'string' || token === '') {
    return { field: '.token', message: 'must be the text that was found, with at least 1 character' };
  }
  if (typeof type !== 'string')
    return { field: '.type', message: "must be text: the scanner's name for this kind of text" };
  const place = [
    ['.url', url],
    ['.source', source],
  ] as const;
  const wrong = place.find(([, value]) => value != null && typeof value !== 'string');
  return wrong === undefined ? null : { field: wrong[0], message: 'must be text, null or absent' };
}

/**
 * Parses the body of a report: a JSON array of 1 to 1,000 objects `{token, type, url?, source?}`. Ignores other fields,
 * because GitHub may add some. Throws BAD_USER_INPUT for any other array, and for what is not an array.
 *
 * No match is an error: otherwise, one unusual match would keep the leaked keys of the others from being handled. Own
 * scanners can be corrected: see `wrongMatchIn`.
 */
export function parseMatches(body: unknown): readonly LeakMatch[] {
  if (!Array.isArray(body) || body.length === 0) {
    throw badInput([{ field: 'body', message: `must be an array of 1 to ${limits.reportedLeaks} matches` }]);
  }
  if (body.length > limits.reportedLeaks) {
    throw badInput([{ field: 'matches', message: `must have at most ${limits.reportedLeaks} entries` }]);
  }
  const budget = { characters: maxDecodedCharacters };
  return body.map((item) => matchOf(item, budget));
}

/** Cuts the texts that are stored, and removes keys from them. Keeps the token as it is, because the answer has its hash. */
function matchOf(item: unknown, budget: DecodingBudget): LeakMatch {
  const text = (name: keyof LeakMatch): string => {
    const value: unknown = Reflect.get(Object(item), name);
    return typeof value === 'string' ? value : '';
  };
  // An empty token is never a key.
  const token = text('token');
  const traces = tracesOf(token);
  const line = (name: keyof LeakMatch, maxCharacters: number) =>
    replaceControlCharacters(withoutKeys(text(name), traces, maxCharacters, budget));
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
/**
 * How much of all texts of a report is examined, as they are and decoded: the worst known report takes 70 ms. A text
 * beyond it may have a key, so it is not stored.
 */
const maxDecodedCharacters = 500_000;

/** The place of a leak can contain the key, for example in the query of a URL, and is stored in the audit trail. */
function withoutKeys(
  text: string,
  { spellings, pieces }: Traces,
  maxCharacters: number,
  budget: DecodingBudget,
): string {
  if (text.length > budget.characters) return text === '' ? '' : '…';
  budget.characters -= text.length;
  const rest = spellings.reduce((left, spelling) => left.replaceAll(spelling, '…'), text).replace(anyKey, '…');
  const hasKey = (decoded: string) => {
    const folded = decoded.toLowerCase();
    return pieces.some((piece) => folded.includes(piece)) || decoded.search(anyKey) !== -1;
  };
  // Also what follows the cut, so that no part of an encoded key stays before it.
  return spells(rest.slice(0, 2 * maxCharacters), hasKey, budget) ? '…' : rest.slice(0, maxCharacters);
}

interface Traces {
  readonly spellings: readonly string[];
  /**
   * Pieces of the token, without its prefix, in lower case. Each part of 15 characters has at least one piece. So a part
   * of a key, or a key in another case, is found too: both make it easier to guess the key.
   */
  readonly pieces: readonly string[];
}

function tracesOf(token: string): Traces {
  const secrets = secretsIn(token);
  const spellings = secrets
    .filter((secret) => secret.length >= minTokenCharacters)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]);
  return { spellings, pieces: secrets.flatMap(piecesOf) };
}

function piecesOf(secret: string): readonly string[] {
  const prefix = anySecretShape.exec(secret)?.[1] ?? '';
  const start = secret.slice(prefix.length, prefix.length + 8 * maxPieces);
  return start.toLowerCase().match(/.{8}/gs) ?? [];
}
/** Of a text that is not a key of our own, the first ones are enough. */
const maxPieces = 16;

/** Returns the answer to a report: one entry for each match, in the same order. */
export function answersTo(matches: readonly LeakMatch[], areKeys: readonly boolean[]): readonly MatchAnswer[] {
  return matches.map(({ token, type }, index) => ({
    token_hash: hash('sha256', token),
    token_type: type,
    label: areKeys[index] === true ? 'true_positive' : 'false_positive',
  }));
}
