import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { limits } from '../../domain/limits.ts';
import { DataTable } from '../components/data-table.tsx';
import { ButtonLink, DocsTextLink, TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { Disables, SuccessRate } from './webhook-health.tsx';
import { disabledReasons, EnableButton, LastDelivery, WebhookState } from './webhook-state.tsx';
import { nameOf, useWebhooks, type Webhook } from './webhooks.ts';

const maxShownTypes = 3;

export function WebhooksPage() {
  const { teamId } = useParams({ from: '/teams/$teamId/webhooks' });
  return (
    <RequirePermission permission="manage_webhooks" teamId={teamId}>
      <Page
        title="Webhooks"
        aside={
          <ButtonLink to="/teams/$teamId/webhooks/new" params={{ teamId }}>
            Create a webhook
          </ButtonLink>
        }
      >
        <Webhooks key={teamId} teamId={teamId} />
      </Page>
    </RequirePermission>
  );
}

function Webhooks({ teamId }: { readonly teamId: string }) {
  const query = useWebhooks(teamId);
  return (
    <QueryView query={query}>
      {(webhooks) =>
        webhooks.length === 0 ? (
          <NoWebhooks />
        ) : (
          <DataTable
            label="Webhooks"
            rows={webhooks}
            idOf={({ id }) => id}
            columns={[
              { name: 'Endpoint', cell: (webhook) => <Endpoint teamId={teamId} webhook={webhook} /> },
              { name: 'State', cell: (webhook) => <State webhook={webhook} /> },
              { name: 'Last delivery', cell: (webhook) => <LastDelivery webhook={webhook} /> },
              { name: 'Delivered', cell: (webhook) => <SuccessRate webhook={webhook} /> },
              { name: 'Events', cell: ({ types }) => <Types types={types} /> },
            ]}
          />
        )
      }
    </QueryView>
  );
}

function NoWebhooks() {
  return (
    <Paper withBorder p="xl">
      <Stack gap="sm" maw={640} mx="auto">
        <Text role="status">This team has no webhooks yet.</Text>
        <Text size="sm">
          A webhook is a URL to which Latchkey sends what happens to the team’s keys: a key was created or revoked,
          expires soon, or has leaked. Each request is signed, and is repeated until it succeeds.
        </Text>
        <Text size="sm">
          To get events as mail or in Slack, run one of{' '}
          <DocsTextLink section="receivers">two short receivers</DocsTextLink>. A team can have {limits.webhooks}{' '}
          webhooks.
        </Text>
      </Stack>
    </Paper>
  );
}

function Endpoint({ teamId, webhook }: { readonly teamId: string; readonly webhook: Webhook }) {
  return (
    <>
      <TextLink
        to="/teams/$teamId/webhooks/$webhookId"
        params={{ teamId, webhookId: webhook.id }}
        className="breakable"
      >
        {nameOf(webhook)}
      </TextLink>
      <Text size="xs" c="dimmed" className="breakable" lineClamp={2}>
        {webhook.url}
      </Text>
    </>
  );
}

function Types({ types }: Pick<Webhook, 'types'>) {
  if (types.length === 0) return 'All events';
  const more = types.length - maxShownTypes;
  return (
    <Group gap={4} title={types.join('\n')}>
      {types.slice(0, maxShownTypes).map((type) => (
        <Badge key={type} variant="default" tt="none" fw={400}>
          {type}
        </Badge>
      ))}
      {more > 0 && `and ${more} more`}
    </Group>
  );
}

function State({ webhook }: { readonly webhook: Webhook }) {
  const { disabledAt, disabledReason } = webhook;
  return (
    <Group gap="xs">
      <WebhookState webhook={webhook} />
      {disabledAt === null && (
        <Text size="sm">
          <Disables webhook={webhook} />
        </Text>
      )}
      {disabledAt !== null && (
        <>
          <Text size="sm">
            <Moment at={disabledAt} />. {disabledReason !== null && disabledReasons[disabledReason]}
          </Text>
          <EnableButton webhook={webhook} size="xs" />
        </>
      )}
    </Group>
  );
}
