import { Code, Group, Text } from '@mantine/core';
import { CopyButton } from '../components/copy-button.tsx';
import type { KeyDetailsFragment } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';

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
