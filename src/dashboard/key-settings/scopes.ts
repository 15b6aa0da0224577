/** Returns each scope once. A scope has no spaces, so that several can be pasted at once (RFC 6749, section 3.3). */
export function scopesIn(texts: readonly string[]): string[] {
  const scopes = texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== '');
  return [...new Set(scopes)];
}
