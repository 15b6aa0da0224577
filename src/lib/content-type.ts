/** Reads the header field Content-Type (RFC 9110, section 8.3). */

/** Returns the media type without its parameters, in lower case. */
export function mediaTypeOf(contentType = ''): string {
  const [mediaType = ''] = contentType.split(';');
  return mediaType.trim().toLowerCase();
}

/** Matches each parameter `charset`. */
const charsets = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;]*))/gi;

/**
 * Returns whether a body with this Content-Type can be read as UTF-8: it names no other charset. JSON is always UTF-8 (RFC
 * 8259, section 8.1), but a client that names another charset has encoded it so, and its letters would be stored wrongly.
 */
export function isReadableAsUtf8(contentType: string | undefined): boolean {
  // Most clients send no parameter.
  if (contentType?.includes(';') !== true) return true;
  return [...contentType.matchAll(charsets)].every(([, quoted, bare]) => /^utf-?8$/i.test(quoted ?? bare ?? ''));
}

export const utf8Expected = 'The body must be in UTF-8, and its Content-Type must name no other charset.';
