import { useEffect, useRef, useState } from 'react';

/**
 * The state of a menu that was loaded when the user clicked a plain button in its place. It opens by itself, and its own
 * button takes the focus, to which it returns when the menu closes.
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
      // Part of the page for screen readers, and no element without a role in it.
      portalProps: { target: '#main' },
      withInitialFocusPlaceholder: false,
    },
  } as const;
}
