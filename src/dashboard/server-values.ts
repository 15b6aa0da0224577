/** Returns a value that the server writes into the page for each response. */
export function fromServer(
  name: 'nonce' | 'verify-url' | 'key-instruction' | 'key-option' | 'graphiql' | 'sign-in',
): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="latchkey-${name}"]`)?.content ?? '';
}
