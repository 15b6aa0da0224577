import { badInput, type LatchkeyError } from './errors.ts';

/**
 * Returns the error of a request with several `Host` or `Authorization` fields; null without one. A gateway in front may
 * have read another of them than this process does. RFC 9112, section 3.2, requires 400 for several `Host` fields.
 * `rawHeaders` has names and values in turn, as `node:http` provides them.
 */
export function repeatedHeaderError(rawHeaders: readonly string[]): LatchkeyError | null {
  const name = repeatedHeader(rawHeaders);
  return name === null ? null : badInput([{ field: name, message: 'must be given once' }]);
}

/** Runs for every verification, so it allocates nothing for names of other lengths. */
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
