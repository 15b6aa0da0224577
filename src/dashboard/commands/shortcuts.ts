import { readLocalStorageValue } from '@mantine/hooks';
import { useEffect } from 'react';

export const shortcuts = [
  { name: 'palette', keys: ['Ctrl', 'K'], does: 'Open the commands (⌘ K on a Mac)' },
  { name: 'search', keys: ['/'], does: 'Search the keys of the team' },
  { name: 'undo', keys: ['Z'], does: 'Undo the last change, while its message is shown' },
  { name: 'help', keys: ['?'], does: 'List the shortcuts' },
] as const;

type Shortcut = (typeof shortcuts)[number]['name'];

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
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'palette';
  if (ctrlKey || metaKey || altKey || event.isComposing || isTyping(target) || !areSingleKeysOn()) return null;
  if (key === '/') return 'search';
  if (key === 'z') return 'undo';
  return key === '?' ? 'help' : null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=combobox]') !== null
  );
}

/** Users of speech input must be able to turn off shortcuts of a single key (WCAG 2.2, 2.1.4). */
export const singleKeys = { key: 'latchkey-single-key-shortcuts', defaultValue: 'on', getInitialValueInEffect: false };

function areSingleKeysOn(): boolean {
  return readLocalStorageValue(singleKeys) !== 'off';
}
