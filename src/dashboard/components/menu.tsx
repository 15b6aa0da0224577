/** Parts of Mantine's menus. */
import { Menu, type MenuItemProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type LinkProps = MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>;

export const MenuItemLink = createLink((props: LinkProps) => <Menu.Item component="a" {...props} />);

interface CopyItemProps {
  readonly label: string;
  readonly text: string;
  /** Whether the text is not known yet. */
  readonly disabled?: boolean;
}

/** An item of a menu that copies a text. The menu stays open, and the item says whether the text was copied. */
export function CopyItem({ label, text, disabled = false }: CopyItemProps) {
  const { copy, copied, error } = useClipboard();
  // Browsers have no clipboard API for pages that were loaded over plain HTTP from another machine.
  const outcome = error === null ? 'Copied' : 'This browser does not allow the page to copy';
  return (
    <Menu.Item closeMenuOnClick={false} disabled={disabled} onClick={() => copy(text)}>
      <span aria-live="polite">{copied || error !== null ? outcome : label}</span>
    </Menu.Item>
  );
}

/** Spread into `Menu`: axe reports menus outside of a landmark, and Mantine's focus placeholder, which has no role. */
export const menuProps = {
  position: 'bottom-end',
  portalProps: { target: '#main' },
  withInitialFocusPlaceholder: false,
} as const;
