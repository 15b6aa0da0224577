export interface OriginForm {
  /** The path and query. */
  readonly target: string;
  /** Used instead of the `Host` header. */
  readonly host: string;
}

/**
 * The origin form of a request target in absolute form, which every server must accept (RFC 9112, section 3.2.2); null
 * where it has another form. User information in an http URL is an error (RFC 9110, section 4.2.4).
 */
export function originForm(target: string): OriginForm | null {
  const [, host, rest = ''] = /^https?:\/\/([^/?#@]+)([/?][^#]*)?$/i.exec(target) ?? [];
  if (host === undefined) return null;
  return { host, target: rest.startsWith('/') ? rest : `/${rest}` };
}
