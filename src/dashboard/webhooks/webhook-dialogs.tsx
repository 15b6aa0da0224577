/** The dialogs of the page of a webhook. */
import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { instantOf } from '../audit/trail-search.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { isElsewhere } from '../components/form/field-errors.ts';
import { useServerForm } from '../components/form/use-server-form.ts';
import { formatNumber } from '../components/format.ts';
import { toast } from '../components/toast.ts';
import {
  DeleteWebhookDocument,
  ReplayEventsDocument,
  RotateWebhookSecretDocument,
  type RotateWebhookSecretMutation,
} from '../generated/graphql.ts';
import { overlaps } from '../secrets/overlaps.ts';
import { IssuingGuard } from '../secrets/secret-once.tsx';
import { nameOf, reloadWebhooks, setEnabled, type Webhook } from './webhooks.ts';

interface Props {
  readonly webhook: Webhook;
  readonly opened: boolean;
  readonly close: () => void;
}

export function DisableDialog({ webhook, opened, close }: Props) {
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: () => setEnabled(webhook.id, false),
    onSuccess: async () => {
      await reloadWebhooks();
      close();
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        reset();
      }}
      title="Disable this webhook?"
      confirm={() => submit()}
      confirmLabel="Disable"
      color="red"
      pending={isPending}
      error={error}
    >
      <Text size="sm">It gets no events until it is enabled again. Then it gets what it missed.</Text>
    </ConfirmDialog>
  );
}

export function DeleteDialog({ teamId, webhook, opened, close }: Props & { readonly teamId: string }) {
  const navigate = useNavigate();
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async () => await execute(DeleteWebhookDocument, { id: webhook.id }),
    onSuccess: async () => {
      toast(`“${nameOf(webhook)}” is deleted.`);
      await navigate({ to: '/teams/$teamId/webhooks', params: { teamId } });
      await reloadWebhooks();
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        reset();
      }}
      title="Delete this webhook?"
      confirm={() => submit()}
      confirmLabel="Delete permanently"
      color="red"
      pending={isPending}
      error={error}
    >
      <Text size="sm">
        It gets no events anymore, also none that it has missed, and the log of its deliveries is deleted.
      </Text>
    </ConfirmDialog>
  );
}

interface RotateProps extends Props {
  readonly onIssued: (issued: RotateWebhookSecretMutation['rotateWebhookSecret']) => void;
}

export function RotateDialog({ webhook: { id }, opened, close, onIssued }: RotateProps) {
  const [overlapSeconds, setOverlapSeconds] = useState('86400');
  const { submit, isPending, error, reset } = useSubmit({
    mutationFn: async () =>
      (await execute(RotateWebhookSecretDocument, { id, overlapSeconds: Number(overlapSeconds) })).rotateWebhookSecret,
    onSuccess: (issued) => {
      close();
      onIssued(issued);
      void reloadWebhooks();
    },
    // The response can contain a secret.
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      opened={opened}
      close={() => {
        close();
        reset();
      }}
      title="Rotate the secret?"
      confirm={() => submit()}
      confirmLabel="Rotate"
      {...(overlapSeconds === '0' && { color: 'red' })}
      pending={isPending}
      error={error}
    >
      <NativeSelect
        label="Sign with the current secret too for"
        description="Long enough for the receiver to change over."
        data={overlaps}
        value={overlapSeconds}
        onChange={({ currentTarget }) => setOverlapSeconds(currentTarget.value)}
      />
      {isPending && <IssuingGuard />}
    </ConfirmDialog>
  );
}

export function ReplayDialog({ webhook: { id: webhookId }, opened, close }: Props) {
  const { getInputProps, frame, error, isPending, forgetResult } = useServerForm({
    initialValues: { from: '', to: '' },
    validate: { from: (from) => (instantOf(from) === null ? 'Choose the first moment.' : null) },
    send: async ({ from, to }) =>
      (await execute(ReplayEventsDocument, { webhookId, from: instantOf(from), to: instantOf(to) })).replayEvents,
    onSent: ({ count }) => {
      close();
      toast(`${formatNumber(count)} ${count === 1 ? 'event is' : 'events are'} sent again.`);
      void reloadWebhooks();
    },
  });
  const end = () => {
    close();
    forgetResult();
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={end}
      title="Replay a period"
      confirm={frame.submit}
      confirmLabel="Replay"
      pending={isPending}
      error={isElsewhere(error, frame.fields) ? error : null}
    >
      <Text size="sm">
        Events of the period are sent again with the same ids, by which the receiver recognizes those that it has.
      </Text>
      <TextInput type="datetime-local" label="From" data-autofocus {...getInputProps('from')} />
      <TextInput type="datetime-local" label="Before" description="Empty: until now." {...getInputProps('to')} />
    </ConfirmDialog>
  );
}
