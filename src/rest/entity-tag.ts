/** Entity tags of keys and the conditions over them (RFC 9110, sections 8.8.3 and 13.1.1). */
import { limits } from '../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

/** Returns a strong tag, because a weak one never matches in `If-Match`. A revision is one state of a key without its usage. */
export function entityTag(revision: string): string {
  return `"${revision}"`;
}

const tag = '(W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"';
/** Elements of a list may be empty (section 5.6.1). */
const tags = new RegExp(`^[ \\t,]*${tag}(?:[ \\t]*,[ \\t,]*${tag})*[ \\t,]*$`);

/**
 * Returns the revisions in `If-Match`, without weak tags; undefined if the header is absent or `*`. Rejects a malformed
 * header: an ignored condition would seem to be met.
 */
export function parseIfMatch(header: string | undefined): Parsed<string[] | undefined> {
  if (header === undefined || header === '*') return accepted(undefined);
  if (!tags.test(header)) return rejected('must be * or a list of entity tags, in double quotes');
  const listed = [...header.matchAll(new RegExp(tag, 'g'))];
  if (listed.length > limits.revisions) return rejected(`must have at most ${limits.revisions} entity tags`);
  return accepted(listed.flatMap(([, weak, revision = '']) => (weak ? [] : [revision])));
}
