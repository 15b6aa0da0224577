/**
 * The location that the user has navigated to. React shows it later, when the code of its page has loaded and rendered.
 * Until then, no timer may navigate elsewhere, because the user's click would be lost.
 */
import type { DataRouter, Location } from 'react-router';

type RouterState = DataRouter['state'];
let destination: Location | undefined;

export function followRouter({ location, navigation }: RouterState): void {
  destination = navigation.location ?? location;
}

/** Returns whether the user stays at `location`, which the page shows: no navigation is under way. */
export function isStaying(location: Location): boolean {
  if (destination === undefined) return true;
  // Locations that the user enters in the address bar all have the same key.
  return destination.key === location.key && destination.pathname === location.pathname;
}
