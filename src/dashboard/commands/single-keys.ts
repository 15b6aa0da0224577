/**
 * Whether shortcuts of a single key are on. Users of speech input need to turn them off (WCAG 2.2, 2.1.4). Where a
 * browser stores nothing, they are on.
 */
const storageKey = 'latchkey-single-key-shortcuts';

export function areSingleKeysOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off';
}

export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
}
