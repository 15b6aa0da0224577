import { Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import type { CreateKeyMutation } from '../../generated/graphql.ts';
import { VerifyCommand } from '../../secrets/copyable.tsx';
import { SecretOnce } from '../../secrets/secret-once.tsx';
import { SigningExamples } from '../../secrets/signing-examples.tsx';

interface Props {
  readonly teamId: string;
  readonly created: CreateKeyMutation['createKey'];
}

/** Shows the secret of a new key, then its signing secret if it has one. */
export function CreatedKey({ teamId, created: { apiKey, secret, signingSecret } }: Props) {
  const navigate = useNavigate();
  const [kept, setKept] = useState(false);
  const goToKey = () => navigate(`/teams/${teamId}/keys/${apiKey.id}`);
  if (kept && signingSecret != null) {
    return (
      <SecretOnce
        // `key` resets the component, so that it warns about the second secret too.
        key="signing"
        title={`The signing secret of “${apiKey.name}”`}
        kind="signing"
        secret={signingSecret}
        fileName={`${apiKey.prefix}-signing.txt`}
        done={goToKey}
        doneLabel="Go to the key"
      >
        <SigningExamples keyId={apiKey.id} />
      </SecretOnce>
    );
  }
  return (
    <>
      {signingSecret != null && (
        <LeaveGuard
          title="Leave without the signing secret?"
          text="It has not been shown yet, and it can’t be shown later."
        />
      )}
      <SecretOnce
        title={`The secret of “${apiKey.name}”`}
        kind="key"
        secret={secret}
        fileName={`${apiKey.prefix}.txt`}
        done={signingSecret == null ? goToKey : () => setKept(true)}
        doneLabel={signingSecret == null ? 'Go to the key' : 'Continue to the signing secret'}
      >
        <Text size="sm">Send it as a bearer token.</Text>
        <VerifyCommand apiKey={apiKey} secret={secret} />
      </SecretOnce>
    </>
  );
}
