import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Section } from '../components/section.tsx';
import type { RotateWebhookSecretMutation } from '../generated/graphql.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { IssuedSecret, VerificationExamples } from './issued-secret.tsx';
import { RotateDialog } from './webhook-dialogs.tsx';
import type { Webhook } from './webhooks.ts';

/** How receivers verify requests, and the replacement of what they verify them with. */
export function WebhookVerification({ webhook }: { readonly webhook: Webhook }) {
  const [issued, setIssued] = useState<RotateWebhookSecretMutation['rotateWebhookSecret'] | null>(null);
  const [rotates, { open, close }] = useDisclosure();
  if (issued !== null) return <IssuedSecret issued={issued} done={() => setIssued(null)} doneLabel="Done" />;
  return (
    <Stack>
      <Section title="Verify requests">
        {webhook.publicKey !== null && <Copyable what="the public key" text={webhook.publicKey} />}
        <VerificationExamples signature={webhook.signature} />
      </Section>
      <Section title="Replace the secret">
        <Text size="sm">If the secret may have leaked, or now and then. The receiver gets the new one from you.</Text>
        <Group>
          <Button variant="default" onClick={open}>
            Rotate…
          </Button>
        </Group>
      </Section>
      <RotateDialog webhook={webhook} opened={rotates} close={close} onIssued={setIssued} />
    </Stack>
  );
}
