/**
 * The location that the user goes to. React shows it later: when the code of its page is loaded and rendered. Until then,
 * only the user may navigate elsewhere; a timer must not, or a click is lost.
 */
import type { DataRouter, Location } from 'react-router';

type RouterState = DataRouter['state'];
let destination: Location | undefined;

/** To be called when the state of the router has changed. */
export function followRouter({ location, navigation }: RouterState): void {
  destination = navigation.location ?? location;
}

/** Whether no navigation is under way from `location`, which the page shows. */
export function isStaying(location: Location): boolean {
  if (destination === undefined) return true;
  // Locations that the user enters in the address bar all have the same key.
  return destination.key === location.key && destination.pathname === location.pathname;
}
