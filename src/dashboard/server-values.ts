type ServerValue =
  | 'nonce'
  | 'verify-url'
  | 'key-instruction'
  | 'key-locations'
  | 'key-option'
  | 'graphiql'
  | 'sign-in'
  | 'session'
  | 'teams-claim';

/** Returns a value that the server writes into the page for each response. */
export function fromServer(name: ServerValue): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="latchkey-${name}"]`)?.content ?? '';
}
