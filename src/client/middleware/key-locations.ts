/** The option `keyLocations` of the middleware. Uses web standards only. */
import {
  defaultKeyLocations,
  expectedKeyLocations,
  type KeyLocations,
  type KeyLocationText,
  parseKeyLocations,
} from '../../domain/key-location.ts';
import type { AuthenticatedKey } from '../verdict.ts';

/** @throws TypeError for anything but a list of places */
export function keyLocationsOf(texts: readonly KeyLocationText[] | undefined): KeyLocations {
  if (texts === undefined) return defaultKeyLocations;
  const parsed = Array.isArray(texts) ? parseKeyLocations(texts.join(',')) : null;
  if (parsed === null || !parsed.ok) throw new TypeError(`keyLocations must be a list of ${expectedKeyLocations}`);
  return parsed.value;
}

/** Where the keys of requests were expected, for the challenges of later scope checks of the same requests. */
const locationsByKey = new WeakMap<object, KeyLocations>();

export function rememberLocations(key: AuthenticatedKey, locations: KeyLocations): void {
  if (locations !== defaultKeyLocations) locationsByKey.set(key, locations);
}

export function locationsOf(key: object): KeyLocations {
  return locationsByKey.get(key) ?? defaultKeyLocations;
}
