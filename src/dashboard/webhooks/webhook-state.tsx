import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSubmit } from '../api/use-submit.ts';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { Moment } from '../components/moment.tsx';
import { StateDot } from '../components/state-dot.tsx';
import { toast } from '../components/toast.ts';
import type { WebhookDisabledReason } from '../generated/graphql.ts';
import { countOf, nameOf, needsAttention, reloadWebhooks, setEnabled, type Webhook } from './webhooks.ts';

interface Props {
  readonly webhook: Webhook;
}

/** Why a webhook gets no events. */
export const disabledReasons: Readonly<Record<WebhookDisabledReason, string>> = {
  MANUAL: 'It was disabled by a user.',
  GONE: 'It answered 410 Gone.',
  FAILING: 'The last attempt to deliver an event failed.',
};

export function WebhookState({ webhook }: Props) {
  const { disabledAt, health } = webhook;
  const isFailing = needsAttention(webhook);
  if (disabledAt !== null) return <StateDot kind={isFailing ? 'failing' : 'disabled'}>disabled</StateDot>;
  if (!isFailing) return <StateDot kind="active">enabled</StateDot>;
  return <StateDot kind="failing">failing: {countOf(health.retrying, 'event')}</StateDot>;
}

export function LastDelivery({ webhook: { lastDelivery } }: Props): ReactNode {
  if (lastDelivery === null)
    return (
      <Text size="sm" c="dimmed">
        none
      </Text>
    );
  const { outcome, status, attemptedAt } = lastDelivery;
  return (
    <>
      {outcome === 'DELIVERED' ? 'delivered' : 'failed'}
      {status !== null && `, ${status}`}, {attemptedAt !== null && <Moment at={attemptedAt} />}
    </>
  );
}

export function EnableButton({ webhook, size }: Props & { readonly size?: 'xs' }) {
  const { submit, isPending } = useSubmit({
    mutationFn: () => setEnabled(webhook.id, true),
    onSuccess: async () => {
      await reloadWebhooks();
      toast(`“${nameOf(webhook)}” is enabled, and gets what it missed.`);
    },
    onError: (error) => toast(error),
  });
  return (
    <FocusableButton
      variant="default"
      {...(size !== undefined && { size })}
      aria-label={size === undefined ? 'Enable' : `Enable ${nameOf(webhook)}`}
      loading={isPending}
      onClick={() => submit()}
    >
      Enable
    </FocusableButton>
  );
}
