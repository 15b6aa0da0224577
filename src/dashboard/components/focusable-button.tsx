import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps, MouseEvent } from 'react';

type Props = ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps>;

/** A button that keeps the focus while it is disabled or loading. Browsers take the focus from a disabled element. */
export function FocusableButton(props: Props) {
  return (
    <Button
      {...props}
      renderRoot={({ disabled, onClick, ...rest }) => (
        <button {...rest} aria-disabled={disabled} onClick={disabled ? ignore : onClick} />
      )}
    />
  );
}

/** Also prevents that the button submits its form. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}
