/** How the user arrived: back from the identity provider, or not. Evaluated before the router reads the address. */
import { announceSession } from './recover.ts';
import { failSignIn } from './session.ts';

const placeKey = 'latchkey-place';

/** Keeps the page to return to in this tab, so that its path and search reach no server. */
export function rememberPlace(): void {
  sessionStorage.setItem(placeKey, location.hash);
}

function arrive(): void {
  const failure = /^#\/signed-out\?reason=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  const place = sessionStorage.getItem(placeKey);
  if (failure === null && (place === null || !/^(?:#\/?)?$/.test(location.hash))) return;
  sessionStorage.removeItem(placeKey);
  history.replaceState(history.state, '', place || '#/');
  if (failure === null) announceSession();
  else failSignIn(failure);
}

arrive();
