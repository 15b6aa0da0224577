import { Button, Code, Group, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { KeyDetailsFragment } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';

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

export function CodeToCopy({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <div>
      <Group justify="flex-end" mb={4}>
        <CopyButton what={what} text={text} />
      </Group>
      <Code block className="breakable" tabIndex={0}>
        {text}
      </Code>
    </div>
  );
}

interface VerifyProps {
  readonly apiKey: KeyDetailsFragment;
  readonly secret: string;
}

/** A shell command that verifies a key. Hidden for keys that require a signature or an allowed source. */
export function VerifyCommand({ apiKey: { env, allowedIps, signingEnabled }, secret }: VerifyProps) {
  if (signingEnabled || allowedIps.length > 0) return null;
  // A secret has no characters that a shell interprets.
  const command = `curl ${fromServer('verify-url')}/v1/verify -d '${JSON.stringify({ key: secret, env })}'`;
  return (
    <>
      <Text size="sm">To verify it from a terminal:</Text>
      <CodeToCopy what="the command" text={command} />
    </>
  );
}
