import { Box, Code, Group } from '@mantine/core';
import { CopyButton } from '../components/copy-button.tsx';

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
