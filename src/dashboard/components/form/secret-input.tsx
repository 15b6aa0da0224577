import { PasswordInput, type PasswordInputProps } from '@mantine/core';

interface Props extends PasswordInputProps {
  /** The name of the secret, such as `token` in "Show the token". */
  readonly what: string;
}

/** A field that hides a secret while it is typed. Unlike Mantine's field, it sets `aria-invalid`. */
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
