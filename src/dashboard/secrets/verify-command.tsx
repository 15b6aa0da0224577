import { Text } from '@mantine/core';
import type { KeyDetailsFragment } from '../generated/graphql.ts';
import { fromServer } from '../server-values.ts';
import { CodeToCopy } from './copyable.tsx';

interface Props {
  readonly apiKey: KeyDetailsFragment;
  readonly secret: string;
}

/** A shell command that verifies a key. Not shown for a key that also needs a signature or a source. */
export function VerifyCommand({ apiKey: { env, allowedIps, signingEnabled }, secret }: Props) {
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
