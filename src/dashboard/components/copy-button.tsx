import { Button, type ButtonProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface Props extends ButtonProps {
  /** What is copied, such as `the prefix`. */
  readonly what: string;
  readonly text: string;
  readonly onCopy?: () => void;
}

/**
 * Copies a text. If the page has no clipboard API, for example over plain HTTP, the button says so; Mantine's
 * `CopyButton`, which uses the same hook, would hide the error.
 */
export function CopyButton({ what, text, onCopy, ...props }: Props) {
  const { copy, copied, error } = useClipboard({ timeout: 2000 });
  const label = error !== null ? 'Not possible here' : copied ? 'Copied' : 'Copy';
  const click = () => {
    copy(text);
    onCopy?.();
  };
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${label} ${what}`}
      onClick={click}
      miw={52}
      // The smallest target (WCAG 2.5.8).
      mih={24}
      {...props}
    >
      {label}
    </Button>
  );
}
