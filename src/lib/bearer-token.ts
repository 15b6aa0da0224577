/**
 * Returns the token of an `Authorization` header; undefined if the header is absent or has another scheme. The name of
 * the scheme is case-insensitive, and one space or more follows it: RFC 9110, section 11.4, and RFC 6750, section 2.1.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1];
}
