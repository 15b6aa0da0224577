import { badInput, type LatchkeyError } from './errors.ts';

/**
 * Returns an error if `Host` (RFC 9112, section 3.2) or `Authorization` occurs twice, because a gateway in front may
 * have read the other occurrence; otherwise null. `rawHeaders` has the format of `node:http`.
 */
export function repeatedHeaderError(rawHeaders: readonly string[]): LatchkeyError | null {
  const name = repeatedHeader(rawHeaders);
  return name === null ? null : badInput([{ field: name, message: 'must be given once' }]);
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
