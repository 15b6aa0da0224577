import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Actions } from '../../components/form/form.tsx';
import { TextLink } from '../../components/links.tsx';
import { CreateKeyDocument } from '../../generated/graphql.ts';
import { inDays } from '../../key-settings/expiry.ts';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { useMay } from '../../session/viewer.ts';
import { randomId } from './new-key.ts';

interface Props {
  readonly teamId: string;
  readonly hasKey: boolean;
  readonly created: () => void;
  /** Called when the user has stored the secret. */
  readonly stored: () => void;
}

const lifetimeDays = 30;

/** Creates a key for tests, and shows its secret. */
export function FirstKey({ teamId, hasKey, created, stored }: Props) {
  const queries = useQueryClient();
  const mayManage = useMay('manage_keys', teamId);
  const [idempotencyKey] = useState(randomId);
  const { data, error, isPending, submit, reset } = useSubmit({
    mutationFn: async () => {
      const expiresAt = inDays(lifetimeDays).toISOString();
      const input = { teamId, name: 'First key', env: 'test' as const, expiresAt };
      return (await execute(CreateKeyDocument, { input, idempotencyKey })).createKey;
    },
    onSuccess: () => {
      created();
      void queries.invalidateQueries({ queryKey: ['keys', teamId] });
    },
    gcTime: 0,
  });
  const end = () => {
    reset();
    stored();
  };
  if (data !== undefined)
    return (
      <SecretOnce
        title="The secret of “First key”"
        kind="key"
        secret={data.secret}
        fileName={`${data.apiKey.prefix}.txt`}
        done={end}
        doneLabel="Continue"
      />
    );
  if (hasKey) return <Text size="sm">This team has a key. Its secret was shown when it was created.</Text>;
  if (!mayManage)
    return (
      <Text size="sm">
        Your session can see the keys of this team, try them, and read their use and history. To create one, it needs
        the permission manage_keys: ask the person who administers your sign-in.
      </Text>
    );
  return (
    <>
      <Text size="sm" mb="sm">
        A key for the environment test, which expires in {lifetimeDays} days. You can revoke it at any time. For a key
        with other settings, use{' '}
        <TextLink to="/teams/$teamId/keys/new" params={{ teamId }}>
          the form
        </TextLink>
        .
      </Text>
      <Actions error={error}>
        <FocusableButton loading={isPending} onClick={() => submit()}>
          Create a test key
        </FocusableButton>
      </Actions>
      {isPending && <IssuingGuard />}
    </>
  );
}
