import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';

type Props = ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps>;

/**
 * A button that keeps the focus while it is disabled or loading, unlike an element with `disabled`. It ignores the
 * second click of a double click, which could undo the first: “Disable” becomes “Enable” at once.
 */
export function FocusableButton(props: Props) {
  return (
    <Button
      {...props}
      renderRoot={({ disabled, onClick, ...rest }) => (
        <button
          {...rest}
          aria-disabled={disabled}
          // `preventDefault` also keeps the button from submitting its form.
          onClick={(event) => (disabled || event.detail > 1 ? event.preventDefault() : onClick?.(event))}
        />
      )}
    />
  );
}
