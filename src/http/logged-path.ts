import { isUuid } from '../lib/uuid.ts';

const minCharacters = 20;
const builtFile = /^\/assets\/[\w-]+\.[a-z\d]+$/;

/**
 * Returns the path of a URL for the log. A client may have put a key or a token into the URL, also a key of another
 * system in any format. So each segment that is long enough for a key is redacted, unless it is a UUID, and the query is
 * always removed.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  if (builtFile.test(path)) return path;
  const readable = (segment: string) => segment.length < minCharacters || isUuid(segment);
  return path
    .split('/')
    .map((segment) => (readable(segment) ? segment : '[redacted]'))
    .join('/');
}
