import { Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface Props {
  readonly label: string;
  readonly text: string;
}

/** An item of a menu that copies a text. The menu stays open, and the item says whether the text was copied. */
export function CopyItem({ label, text }: Props) {
  const { copy, copied, error } = useClipboard();
  // Browsers have no clipboard API for pages that were loaded over plain HTTP from another machine.
  const outcome = error === null ? 'Copied' : 'This browser does not allow the page to copy';
  return (
    <Menu.Item closeMenuOnClick={false} onClick={() => copy(text)}>
      <span aria-live="polite">{copied || error !== null ? outcome : label}</span>
    </Menu.Item>
  );
}
