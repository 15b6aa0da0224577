import { Stack } from '@mantine/core';
import { CodeExamples, SigningExamples } from '../../secrets/code-examples.tsx';
import type { PartProps } from '../key-change.ts';
import { lastUseOf, PreviousSecret, useOverlap } from './previous-secret.tsx';
import { Replacement } from './replacement.tsx';

interface Props extends PartProps {
  readonly shown: boolean;
}

/** Replaces the secrets. Until then, what matters during an overlap is who still uses the previous one. */
export function Rotation({ shown, ...props }: Props) {
  const { apiKey, editable } = props;
  const { id, signingEnabled, previousSecretExpiresAt, previousSigningSecretExpiresAt } = apiKey;
  const overlap = useOverlap(apiKey, shown);
  return (
    <Stack>
      <Replacement
        kind="key"
        apiKey={apiKey}
        editable={editable}
        previousExpiresAt={previousSecretExpiresAt}
        previousUsedAt={lastUseOf(overlap.data)}
      >
        <CodeExamples apiKey={apiKey} />
      </Replacement>
      <PreviousSecret {...props} overlap={overlap} />
      <Replacement
        kind="signing"
        apiKey={apiKey}
        editable={editable && signingEnabled}
        previousExpiresAt={previousSigningSecretExpiresAt}
      >
        <SigningExamples keyId={id} />
      </Replacement>
    </Stack>
  );
}
