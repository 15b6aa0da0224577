import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';

type Props = ButtonProps & Omit<ComponentProps<'button'>, keyof ButtonProps>;

/**
 * A button that keeps the focus while it is disabled or loading: browsers take it from a disabled element. It ignores
 * the second click of a double click, which could undo the first: Disable becomes Enable at once.
 */
export function FocusableButton(props: Props) {
  return (
    <Button
      {...props}
      renderRoot={({ disabled, onClick, ...rest }) => (
        <button
          {...rest}
          aria-disabled={disabled}
          // Also prevents that the button submits its form.
          onClick={(event) => (disabled || event.detail > 1 ? event.preventDefault() : onClick?.(event))}
        />
      )}
    />
  );
}
