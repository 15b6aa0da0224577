import { Button, Group, Text } from '@mantine/core';
import { Section } from '../components/section.tsx';
import type { CreateWebhookMutation } from '../generated/graphql.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { Examples } from '../secrets/examples.tsx';
import { SecretOnce } from '../secrets/secret-once.tsx';
import { webhookSnippetsOf } from '../secrets/webhook-snippets.ts';
import { nameOf, type Webhook } from './webhooks.ts';

interface Props {
  readonly issued: CreateWebhookMutation['createWebhook'];
  readonly done: () => void;
  readonly doneLabel: string;
}

/** Shows the secret of a webhook once, or its public key, which its page shows too. */
export function IssuedSecret({ issued: { webhook, secret }, done, doneLabel }: Props) {
  const examples = <VerificationExamples signature={webhook.signature} />;
  if (webhook.signature === 'V1A') {
    return (
      <Section title={`The public key of “${nameOf(webhook)}”`}>
        <Copyable what="the public key" text={secret} />
        <Group>
          <Button onClick={done}>{doneLabel}</Button>
        </Group>
        {examples}
      </Section>
    );
  }
  return (
    <SecretOnce
      // `key` resets the component for each secret, so that it warns again.
      key={secret}
      title={`The secret of “${nameOf(webhook)}”`}
      kind="webhook"
      secret={secret}
      fileName={`webhook-${webhook.id}.txt`}
      done={done}
      doneLabel={doneLabel}
    >
      {examples}
    </SecretOnce>
  );
}

export function VerificationExamples({ signature }: Pick<Webhook, 'signature'>) {
  return (
    <>
      <Text size="sm">
        A receiver accepts a request only if its signature is right. Pass the body as it arrived, before it is parsed.
        The examples read the {signature === 'V1' ? 'secret' : 'public key'} from a variable of the environment.
      </Text>
      <Examples label="Receivers" snippets={webhookSnippetsOf(signature)} />
    </>
  );
}
