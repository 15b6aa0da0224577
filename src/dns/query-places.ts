import type { Release, Share, Slots } from '../admission/slots.ts';

export const defaultPlaces = {
  total: 128,
  ofTeam: 32,
  /** With the numbers of places, bounds the rate: 512 names a second, 128 of one team. */
  minHoldMs: 250,
};

/**
 * Resolves to a function that gives a place for a DNS query back, or to null when none was free in time. A team has a
 * share of the places, and teams that wait take turns, so that no team keeps the process busy with answers, or delays
 * the names of others. A place is held for a minimum time, so that the places also limit how many queries start in a
 * second, however fast the answers are (the attack silent-dns).
 */
export function takePlace(
  places: Slots,
  share: Share,
  { timeoutMs, minHoldMs }: { readonly timeoutMs: number; readonly minHoldMs: number },
): Promise<Release | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      giveUp();
      resolve(null);
    }, timeoutMs);
    const giveUp = places.wait(share, (release) => {
      clearTimeout(timer);
      const held = new Promise<void>((ended) => setTimeout(ended, minHoldMs).unref());
      resolve(() => void held.then(release));
    });
  });
}
