/**
 * Where the user goes. React shows a navigation late: not before the code of the page is loaded, and rendered without
 * haste. What navigates without an action of the user must not take the place of one that is still under way.
 */
import type { DataRouter, Location } from 'react-router';

type RouterState = DataRouter['state'];
let destination: Location | undefined;

/** To be called when the state of the router has changed. */
export function followRouter({ location, navigation }: RouterState): void {
  destination = navigation.location ?? location;
}

/** Whether the user stays where the page, which shows `location`, is. */
export function isStaying(location: Location): boolean {
  return destination === undefined || destination.key === location.key;
}
