import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { IssuingGuard } from '../components/issuing-guard.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Section } from '../components/section.tsx';
import { verifyCommand } from '../keys/create/verify-command.ts';
import { CodeToCopy } from './copyable.tsx';
import { type Key, useKeyChange } from './key-change.ts';
import { rotateKey } from './operations.ts';
import { Overlap } from './overlap.tsx';
import { OverlapSelect } from './overlap-select.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
  /** Whether the user sees it. */
  readonly shown: boolean;
  /** Loads the key again. */
  readonly reload: () => unknown;
}

const defaultOverlapSeconds = 86_400;

/** Rotates the secret: choose the overlap, save the new secret, watch the use of the previous one, end it. */
export function Rotation({ apiKey, editable, shown, reload }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Stack>
      {secret !== null ? (
        <NewSecret apiKey={apiKey} secret={secret} done={() => setSecret(null)} />
      ) : (
        editable && <Start apiKey={apiKey} reload={reload} show={setSecret} />
      )}
      <Overlap apiKey={apiKey} editable={editable} shown={shown} />
    </Stack>
  );
}

interface StartProps extends Omit<Props, 'editable' | 'shown'> {
  readonly show: (secret: string) => void;
}

function Start({ apiKey, reload, show }: StartProps) {
  const [overlapSeconds, setOverlapSeconds] = useState(defaultOverlapSeconds);
  const rotate = useKeyChange(async () => {
    const { id, revision } = apiKey;
    // Two people who rotate at the same time would end the secret that the other one just got.
    return (await execute(rotateKey, { id, overlapSeconds, ifRevision: [revision] })).rotateKey;
  });
  const isChanged = rotate.error instanceof ApiError && rotate.error.code === 'PRECONDITION_FAILED';
  const start = () => rotate.mutate(undefined, { onSuccess: ({ secret }) => show(secret), onError: reload });
  return (
    <Section title="Replace the secret">
      <Text size="sm">
        The key keeps its id, settings and history. Clients get the new secret from you; until the overlap ends, both
        secrets are accepted.
      </Text>
      <OverlapSelect label="Accept the current secret for" value={overlapSeconds} change={setOverlapSeconds} />
      {overlapSeconds === 0 && (
        <Alert color="yellow" role="status">
          Clients that use the current secret are rejected as soon as you rotate.
        </Alert>
      )}
      {isChanged && (
        <Alert color="yellow" role="alert" title="Changed since you opened it">
          Another session changed this key, and nothing was rotated. The page now shows the key as it is. Look at its
          history, then rotate if it is still needed.
        </Alert>
      )}
      {rotate.error !== null && !isChanged && <ErrorNotice error={rotate.error} />}
      {rotate.isPending && <IssuingGuard />}
      {apiKey.disabledAt !== null && <Text size="sm">A disabled key can’t be rotated. Enable it first.</Text>}
      <Group>
        <Button loading={rotate.isPending} disabled={apiKey.disabledAt !== null} onClick={start}>
          Rotate
        </Button>
      </Group>
    </Section>
  );
}

interface NewSecretProps {
  readonly apiKey: Key;
  readonly secret: string;
  readonly done: () => void;
}

function NewSecret({ apiKey, secret, done }: NewSecretProps) {
  return (
    <SecretOnce
      key={secret}
      title={`The new secret of “${apiKey.name}”`}
      secret={secret}
      fileName={`${apiKey.prefix}.txt`}
      done={done}
      doneLabel="Watch the previous secret"
    >
      <Text size="sm">Give it to the clients of the key. To verify it from a terminal:</Text>
      <CodeToCopy what="the command" text={verifyCommand(secret, apiKey.env)} />
    </SecretOnce>
  );
}
