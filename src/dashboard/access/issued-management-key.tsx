import { Code, Text } from '@mantine/core';
import { useState } from 'react';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { CodeToCopy } from '../secrets/copyable.tsx';
import { SecretOnce } from '../secrets/secret-once.tsx';

interface Props {
  readonly teamId: string;
  readonly issued: {
    readonly managementKey: { readonly name: string; readonly prefix: string };
    readonly secret: string;
    readonly signingSecret?: string | null;
  };
  readonly done: () => void;
  readonly doneLabel: string;
}

/** Shows the secret of a management key once, then its signing secret if it has one. */
export function IssuedManagementKey({ teamId, issued, done, doneLabel }: Props) {
  const [kept, setKept] = useState(false);
  const { managementKey, secret, signingSecret } = issued;
  const { name, prefix } = managementKey;
  const end = { done, doneLabel };
  if (kept && signingSecret != null) {
    return (
      <SecretOnce
        key="signing"
        title={`The signing secret of “${name}”`}
        kind="signing"
        secret={signingSecret}
        fileName={`${prefix}-signing.txt`}
        {...end}
      />
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
        // `key` resets the component for each secret, so that it warns again.
        key={secret}
        title={`The management key “${name}”`}
        kind="key"
        secret={secret}
        fileName={`${prefix}.txt`}
        {...(signingSecret == null ? end : { done: () => setKept(true), doneLabel: 'Continue to the signing secret' })}
      >
        <Text size="sm">
          Programs send it to the management API, here from the variable <Code>LATCHKEY_TOKEN</Code>, which the{' '}
          <Code>latchkey</Code> command reads too. APIs of the team reject it.
          {signingSecret != null && ' Each request must also be signed.'}
        </Text>
        <CodeToCopy what="the example" text={exampleOf(teamId)} />
      </SecretOnce>
    </>
  );
}

const exampleOf = (teamId: string) => `curl ${location.origin}/v1/keys \\
  -H "Authorization: Bearer $LATCHKEY_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"teamId": "${teamId}", "name": "Customer 7", "env": "live"}'`;
