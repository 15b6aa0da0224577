import { Box, Button, Code, Group } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

/** A button that copies a text. If the page has no clipboard API, for example over plain HTTP, the button says so. */
function CopyButton({ what, text }: { readonly what: string; readonly text: string }) {
  const clipboard = useClipboard({ timeout: 2000 });
  const label = clipboard.error !== null ? 'Not possible here' : clipboard.copied ? 'Copied' : 'Copy';
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${label} ${what}`}
      onClick={() => clipboard.copy(text)}
      miw={52}
    >
      {label}
    </Button>
  );
}

export function Copyable({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <Code className="breakable">{text}</Code>
      <CopyButton what={what} text={text} />
    </Group>
  );
}

/** A block of code with a button in its corner. */
export function CodeToCopy({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <Box pos="relative">
      <Code block className="breakable" pr={76} tabIndex={0}>
        {text}
      </Code>
      <Box pos="absolute" top={8} right={8}>
        <CopyButton what={what} text={text} />
      </Box>
    </Box>
  );
}
