import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { Form } from '../components/form/form.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { Section } from '../components/section.tsx';
import { toast } from '../components/toast.ts';
import { UpdateWebhookDocument } from '../generated/graphql.ts';
import { DeleteDialog } from './webhook-dialogs.tsx';
import { inputOf, type WebhookDraft, WebhookFields } from './webhook-form.tsx';
import { reloadWebhooks, type Webhook } from './webhooks.ts';

interface Props {
  readonly teamId: string;
  readonly webhook: Webhook;
}

export function WebhookEditor({ teamId, webhook }: Props) {
  const [deletes, { open, close }] = useDisclosure();
  const saved = draftOf(webhook);
  const [base, setBase] = useState(saved);
  const form = useServerForm({
    initialValues: saved,
    send: async (draft) =>
      await execute(UpdateWebhookDocument, { id: webhook.id, input: changesOf(inputOf(base), inputOf(draft)) }),
    onSent: () => {
      toast('Saved the webhook.');
      void reloadWebhooks();
    },
  });
  // Shows what another session has saved, unless the user has begun to edit.
  if (!isSame(saved, base) && !form.isDirty()) {
    setBase(saved);
    form.setInitialValues(saved);
    form.setValues(saved);
  }
  return (
    <Stack>
      <Section title="Settings">
        <Form {...form.frame} isGuarded canSubmit={form.isDirty()} submitLabel="Save">
          <WebhookFields getInputProps={form.getInputProps} />
        </Form>
      </Section>
      <Section title="Danger zone">
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">The webhook and the log of its deliveries are deleted.</Text>
          <Button variant="outline" color="red" miw={100} onClick={open}>
            Delete…
          </Button>
        </Group>
      </Section>
      <DeleteDialog teamId={teamId} webhook={webhook} opened={deletes} close={close} />
    </Stack>
  );
}

function draftOf({ url, description, types, form }: Webhook): WebhookDraft {
  return { url, description: description ?? '', types, form };
}

/** Returns only what differs, so that saving does not revert what another session has saved. */
function changesOf<T extends object>(before: T, after: T): Partial<T> {
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([name, value]) => !isSame(value, old.get(name)));
  return Object.fromEntries(changed) as Partial<T>;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
