export interface OriginForm {
  /** The path and query. */
  readonly target: string;
  /** The host of the target, which replaces the `Host` header. */
  readonly host: string;
}

/**
 * Converts a request target in absolute form, which every server must accept (RFC 9112, section 3.2.2). Returns null for
 * other forms, and for an http URL with user information, which is an error (RFC 9110, section 4.2.4).
 */
export function originForm(target: string): OriginForm | null {
  const [, host, rest = ''] = /^https?:\/\/([^/?#@]+)([/?][^#]*)?$/i.exec(target) ?? [];
  if (host === undefined) return null;
  return { host, target: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Returns the query of a request target, with the question mark; empty if it has none. */
export function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start);
}
