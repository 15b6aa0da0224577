import { PasswordInput, type PasswordInputProps } from '@mantine/core';

interface Props extends PasswordInputProps {
  /** As in "Show the token". */
  readonly what: string;
}

/** A field for a secret, which is hidden while it is typed. Unlike Mantine's, it says when it is invalid. */
export function SecretInput({ what, error, ...props }: Props) {
  return (
    <PasswordInput
      autoComplete="off"
      spellCheck={false}
      error={error}
      aria-invalid={Boolean(error)}
      visibilityToggleButtonProps={{ 'aria-label': `Show the ${what}`, tabIndex: 0 }}
      {...props}
    />
  );
}
