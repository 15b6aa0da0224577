import { Anchor, Code } from '@mantine/core';
import { errorsPath } from '../../domain/errors.ts';

/** A verdict or an error code, linked to its entry on the page that explains all codes. */
export function CodeLink({ code }: { readonly code: string }) {
  return (
    <Anchor href={`${errorsPath}#${code}`} target="_blank" inherit c="var(--mantine-color-text)" underline="always">
      <Code>{code}</Code>
    </Anchor>
  );
}
