import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { toast } from '../components/toast.ts';
import {
  RevokeManagementKeyDocument,
  RotateManagementKeyDocument,
  type RotateManagementKeyMutation,
} from '../generated/graphql.ts';
import { overlaps } from '../secrets/overlaps.ts';
import { IssuingGuard } from '../secrets/secret-once.tsx';
import { reloadAccess } from './access.ts';

interface Props {
  readonly id: string;
  readonly opened: boolean;
  readonly close: () => void;
}

interface RotateProps extends Props {
  readonly onIssued: (issued: RotateManagementKeyMutation['rotateManagementKey']) => void;
}

export function RotateDialog({ id, opened, close, onIssued }: RotateProps) {
  const [overlapSeconds, setOverlapSeconds] = useState('86400');
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async () =>
      (await execute(RotateManagementKeyDocument, { id, overlapSeconds: Number(overlapSeconds) })).rotateManagementKey,
    onSuccess: (issued) => {
      close();
      onIssued(issued);
      void reloadAccess();
    },
    // The response contains a secret.
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        reset();
      }}
      title="Rotate the management key?"
      confirm={() => submit()}
      confirmLabel="Rotate"
      {...(overlapSeconds === '0' && { color: 'red' })}
      pending={isPending}
      error={error}
    >
      <Text size="sm">
        It gets a new secret, which is shown once. Its expiry stays, unless the policy permits only an earlier one.
      </Text>
      <NativeSelect
        label="Accept the current secret for"
        description="Long enough for the program to change over."
        data={overlaps}
        value={overlapSeconds}
        onChange={({ currentTarget }) => setOverlapSeconds(currentTarget.value)}
      />
      {isPending && <IssuingGuard />}
    </ConfirmDialog>
  );
}

export function RevokeDialog({ id, name, opened, close }: Props & { readonly name: string }) {
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async () => await execute(RevokeManagementKeyDocument, { id }),
    onSuccess: async () => {
      toast(`“${name}” is revoked.`);
      close();
      await reloadAccess();
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        reset();
      }}
      title="Revoke this management key?"
      confirm={() => submit()}
      confirmLabel="Revoke permanently"
      color="red"
      pending={isPending}
      error={error}
    >
      <Text size="sm">
        Once it is revoked, no call with it is accepted and nothing that it asked for is written. The keys that it made
        stay. It can’t be restored.
      </Text>
    </ConfirmDialog>
  );
}
