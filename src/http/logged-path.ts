const minCharacters = 20;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const builtFile = /^\/assets\/[\w-]+\.[a-z\d]+$/;

/**
 * A path as it may be logged. A client may have put a key or a token into it, also a key of another system in any form:
 * each segment that is long enough for one is left out, unless it is a UUID. The query is left out in any case.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  if (builtFile.test(path)) return path;
  const readable = (segment: string) => segment.length < minCharacters || uuid.test(segment);
  return path
    .split('/')
    .map((segment) => (readable(segment) ? segment : '[redacted]'))
    .join('/');
}
