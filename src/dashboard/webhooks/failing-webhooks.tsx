/** The webhooks of a team that need attention, on its overview. Only for users who may manage webhooks. */
import { Alert, List, VisuallyHidden } from '@mantine/core';
import { TextLink } from '../components/links.tsx';
import { Disables } from './webhook-health.tsx';
import { disabledReasons } from './webhook-state.tsx';
import { countOf, nameOf, needsAttention, useWebhooks, type Webhook } from './webhooks.ts';

export function FailingWebhooks({ teamId }: { readonly teamId: string }) {
  const failing = useWebhooks(teamId).data?.filter(needsAttention) ?? [];
  if (failing.length === 0) return null;
  const title = failing.length === 1 ? 'A webhook needs attention' : `${failing.length} webhooks need attention`;
  return (
    <Alert color="red" title={title} role="status">
      <List size="sm">
        {failing.map((webhook) => (
          <List.Item key={webhook.id} className="breakable">
            <TextLink
              to="/teams/$teamId/webhooks/$webhookId"
              params={{ teamId, webhookId: webhook.id }}
              c="var(--mantine-color-text)"
            >
              {nameOf(webhook)}
            </TextLink>
            : <Problem webhook={webhook} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Problem({ webhook }: { readonly webhook: Webhook }) {
  const { disabledAt, disabledReason, health } = webhook;
  if (disabledAt !== null) return <>disabled. {disabledReason !== null && disabledReasons[disabledReason]}</>;
  return (
    <>
      {countOf(health.retrying, 'event')} failed so far. <Disables webhook={webhook} />
    </>
  );
}

/** Marks the link to the webhooks in the header. */
export function WebhooksMark({ teamId }: { readonly teamId: string }) {
  const count = useWebhooks(teamId, markPollMs).data?.filter(needsAttention).length ?? 0;
  if (count === 0) return null;
  return (
    <span className="mark" title={`${count} ${count === 1 ? 'needs' : 'need'} attention`}>
      <VisuallyHidden>{count === 1 ? 'one needs' : `${count} need`} attention</VisuallyHidden>
    </span>
  );
}

const markPollMs = 60_000;
