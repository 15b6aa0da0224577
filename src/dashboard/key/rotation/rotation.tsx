import { Stack } from '@mantine/core';
import type { PartProps } from '../key-change.ts';
import { lastUseOf, PreviousSecret, useOverlap } from './previous-secret.tsx';
import { Replacement } from './replacement.tsx';

/** Replaces the secrets of a key, and shows during an overlap who still uses the previous one. */
export function Rotation({ shown, ...props }: PartProps & { readonly shown: boolean }) {
  const { apiKey, editable } = props;
  const { signingEnabled, previousSecretExpiresAt, previousSigningSecretExpiresAt } = apiKey;
  const overlap = useOverlap(apiKey, shown);
  return (
    <Stack>
      <Replacement
        kind="key"
        apiKey={apiKey}
        editable={editable}
        previousExpiresAt={previousSecretExpiresAt}
        previousUsedAt={lastUseOf(overlap.data)}
      />
      <PreviousSecret {...props} overlap={overlap} />
      <Replacement
        kind="signing"
        apiKey={apiKey}
        editable={editable && signingEnabled}
        previousExpiresAt={previousSigningSecretExpiresAt}
      />
    </Stack>
  );
}
