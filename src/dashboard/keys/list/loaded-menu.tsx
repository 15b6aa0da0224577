/** Parts of the menus that are loaded on demand. */
import { Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** An item of a menu that copies a text. The menu stays open, and the item says whether the text was copied. */
export function CopyItem({ label, text }: { readonly label: string; readonly text: string }) {
  const { copy, copied, error } = useClipboard();
  // Browsers have no clipboard API for pages that were loaded over plain HTTP from another machine.
  const outcome = error === null ? 'Copied' : 'This browser does not allow the page to copy';
  return (
    <Menu.Item closeMenuOnClick={false} onClick={() => copy(text)}>
      <span aria-live="polite">{copied || error !== null ? outcome : label}</span>
    </Menu.Item>
  );
}

/**
 * The state of a menu that is loaded when the user clicks a plain button, and then replaces that button. It opens by
 * itself. Its own button takes the focus, and gets it back when the menu closes.
 */
export function useLoadedMenu() {
  const [opened, setOpened] = useState(false);
  const target = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    target.current?.focus();
    setOpened(true);
  }, []);

  return {
    target,
    menu: {
      opened,
      onChange: setOpened,
      position: 'bottom-end',
      // Inside of the main landmark, and without a placeholder element that has no role, as axe demands.
      portalProps: { target: '#main' },
      withInitialFocusPlaceholder: false,
    },
  } as const;
}
