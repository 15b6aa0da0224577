/**
 * Request headers: `If-Match` with entity tags of keys (RFC 9110, sections 8.8.3 and 13.1.1), `If-None-Match` (section
 * 13.1.2), and idempotency keys.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { parseIdempotencyKey } from '../domain/key/idempotency.ts';
import { limits } from '../domain/limits.ts';
import { revisionCharacters } from '../domain/opaque-revisions.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

/** Returns a strong entity tag. Usage does not change the tag. */
export function entityTag(revision: string): string {
  return `"${revision}"`;
}

const tag = '(?:W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"';
/** A list of entity tags. Elements may be empty (RFC 9110, section 5.6.1). */
const tags = new RegExp(`^[ \\t,]*${tag}(?:[ \\t]*,[ \\t,]*${tag})*[ \\t,]*$`);

/**
 * What compressing proxies add to a tag: `-gzip` and `-br` Apache, Caddy and others, `--gzip` Jetty, `-df` Apache Traffic
 * Server. All revisions have the same length, so none ends in such a text.
 */
const codingSuffix = new RegExp(`(?<=^.{${revisionCharacters}})(?:(?:--?|;|:)(?:x-)?(?:gzip|br|zstd|deflate|df))+$`);

/**
 * Returns the revisions of the tags in `If-Match`; undefined if the header is absent or `*`. Rejects a malformed header:
 * if it was ignored, the caller would believe that the condition was met. Also reads weak tags, which proxies such as
 * nginx make of strong ones when they compress a response. RFC 9110, section 13.1.1, compares no weak tags, because they
 * may stand for several states; a revision stands for one state exactly.
 */
export function parseIfMatch(header: string | undefined): Parsed<string[] | undefined> {
  if (header === undefined || header === '*') return accepted(undefined);
  if (!tags.test(header)) return rejected('must be * or a list of entity tags, in double quotes');
  const listed = [...header.matchAll(new RegExp(tag, 'g'))];
  if (listed.length > limits.revisions) return rejected(`must have at most ${limits.revisions} entity tags`);
  return accepted(listed.map(([, revision = '']) => revision.replace(codingSuffix, '')));
}

/** Returns whether `*` in `If-Match` or `If-None-Match` demands that the key exists; undefined if neither is `*`. */
export function parseExistence(headers: IncomingHttpHeaders): Parsed<boolean | undefined> {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (noneMatch === undefined) return accepted(match === '*' ? true : undefined);
  if (match !== undefined) return rejected('must not be sent with If-Match');
  return noneMatch === '*' ? accepted(false) : rejected('must be *: then the call only creates a key');
}

const length = `{1,${limits.idempotencyKeyCharacters}}`;
/** The key as a String of Structured Fields (RFC 9651, section 3.3.3), as the draft of `Idempotency-Key` requires. */
const quoted = new RegExp(`^"((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])${length})"$`);
/** The key without quotes, which many clients send. It has no comma, because Node joins two headers with a comma. */
const bare = new RegExp(`^[\\x21\\x23-\\x2b\\x2d-\\x7e]${length}$`);

/** Returns the idempotency key. Rejects a malformed one: ignoring it would let a retry create another API key. */
export function parseIdempotencyHeader(value: string | string[] | undefined): Parsed<string | undefined> {
  if (value === undefined) return accepted(undefined);
  const text = String(value);
  const key = quoted.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? (bare.test(text) ? text : '');
  const parsed = parseIdempotencyKey(key);
  return parsed.ok ? parsed : rejected(`${parsed.problem}, between quotes`);
}
