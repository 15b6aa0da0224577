/** What the server has written into the page for this very answer. */
export function fromServer(name: 'nonce' | 'verify-url'): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="latchkey-${name}"]`)?.content ?? '';
}
