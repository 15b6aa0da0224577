import { readLocalStorageValue } from '@mantine/hooks';
import { useEffect } from 'react';

export const shortcuts = [
  { name: 'palette', keys: ['Ctrl', 'K'], does: 'Open the commands (⌘ K on a Mac)' },
  { name: 'search', keys: ['/'], does: 'Search the keys of the team' },
  { name: 'next', keys: ['J', 'K'], does: 'Go to the next or previous key of the list (also ↓ ↑)' },
  { name: 'select', keys: ['X'], does: 'Select the key, with Shift all keys since the last one' },
  { name: 'open', keys: ['Enter'], does: 'Open the key' },
  { name: 'beside', keys: ['←', '→'], does: 'Go to the other controls of the row, and to what its cells cut off' },
  { name: 'undo', keys: ['Z'], does: 'Undo the last change, while its message is shown' },
  { name: 'help', keys: ['?'], does: 'List the shortcuts' },
] as const;

/** Those of every page. The list of keys has its own (`row-keys.ts`). */
type Shortcut = 'palette' | 'search' | 'undo' | 'help';

export function useShortcuts(actions: Readonly<Record<Shortcut, () => void>>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event);
      // Shortcuts do nothing while a dialog is open.
      if (shortcut === null || document.querySelector('[aria-modal=true]') !== null) return;
      event.preventDefault();
      actions[shortcut]();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}

function shortcutOf(event: KeyboardEvent): Shortcut | null {
  const { key, ctrlKey, metaKey, altKey } = event;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'palette';
  const single = singleKeyOf(event);
  if (single === '/') return 'search';
  if (single === 'z') return 'undo';
  return single === '?' ? 'help' : null;
}

/** Returns the pressed key if it is a shortcut of a single key; null while the user types, or has turned them off. */
export function singleKeyOf({ key, ctrlKey, metaKey, altKey, isComposing, target }: KeyboardEvent): string | null {
  if (ctrlKey || metaKey || altKey || isComposing || isTyping(target)) return null;
  return areSingleKeysOn() ? key : null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=combobox]') !== null
  );
}

/** Users of speech input must be able to turn off shortcuts of a single key (WCAG 2.2, 2.1.4). */
export const singleKeys = { key: 'latchkey-single-key-shortcuts', defaultValue: 'on', getInitialValueInEffect: false };

function areSingleKeysOn(): boolean {
  return readLocalStorageValue(singleKeys) !== 'off';
}
