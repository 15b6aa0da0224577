import { badInput, type LatchkeyError } from './errors.ts';
import { keyHeaderError } from './key-header.ts';

/**
 * Returns an error if `Host` (RFC 9112, section 3.2), `Authorization` or another header with a key occurs twice, because
 * a gateway in front may have read the other occurrence; otherwise null. `rawHeaders` has the format of `node:http`.
 *
 * @param keyHeaders the names of the other headers with a key, in lower case
 */
export function repeatedHeaderError(
  rawHeaders: readonly string[],
  keyHeaders: readonly string[] = [],
): LatchkeyError | null {
  const name = repeatedHeader(rawHeaders);
  if (name !== null) return badInput([{ field: name, message: 'must be given once' }]);
  const error = keyHeaders.length === 0 ? null : keyHeaderError(rawHeaders, keyHeaders);
  return error === null ? null : badInput([error]);
}

/** Runs for every verification, so only names of the right length are converted to lower case. */
export function repeatedHeader(rawHeaders: readonly string[]): 'Host' | 'Authorization' | null {
  let hasHost = false;
  let hasAuthorization = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') {
      if (hasHost) return 'Host';
      hasHost = true;
    } else if (name?.length === 13 && name.toLowerCase() === 'authorization') {
      if (hasAuthorization) return 'Authorization';
      hasAuthorization = true;
    }
  }
  return null;
}
