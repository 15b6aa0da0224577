import { Button, Flex, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { useIsPast } from '../components/clock.ts';
import { Fact, Facts } from '../components/facts.tsx';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { AnchorLink, TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { toast } from '../components/toast.ts';
import { SendTestEventDocument } from '../generated/graphql.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { Deliveries } from './deliveries.tsx';
import { TestResult } from './delivery-rows.tsx';
import { DisableDialog, ReplayDialog } from './webhook-dialogs.tsx';
import { WebhookEditor } from './webhook-editor.tsx';
import { formNames, signatureNames } from './webhook-form.tsx';
import { HealthNotice, SuccessRate } from './webhook-health.tsx';
import { tabLabels, tabs } from './webhook-search.ts';
import { EnableButton, LastDelivery, WebhookState } from './webhook-state.tsx';
import { WebhookVerification } from './webhook-verification.tsx';
import { nameOf, reloadWebhooks, useWebhooks, type Webhook } from './webhooks.ts';

const from = '/teams/$teamId/webhooks/$webhookId';

interface Props {
  readonly teamId: string;
  readonly webhook: Webhook;
}

/** The page of one webhook. React's `key` resets it, so that no data or input appears under another webhook. */
export function WebhookPage() {
  const { teamId, webhookId } = useParams({ from });
  return (
    <RequirePermission permission="manage_webhooks" teamId={teamId}>
      <OneWebhook key={`${teamId} ${webhookId}`} teamId={teamId} webhookId={webhookId.toLowerCase()} />
    </RequirePermission>
  );
}

function OneWebhook({ teamId, webhookId }: { readonly teamId: string; readonly webhookId: string }) {
  const query = useWebhooks(teamId);
  const webhook = query.data?.find(({ id }) => id === webhookId);
  if (query.data !== undefined && webhook === undefined) return <NoWebhook teamId={teamId} />;
  return (
    <Stack>
      <AnchorLink to="/teams/$teamId/webhooks" params={{ teamId }} size="sm" w="max-content">
        <span aria-hidden>‹</span> Webhooks
      </AnchorLink>
      <div>
        {/* The same element before and after the webhook is loaded, because this element has the focus. */}
        <Title order={1} size="h2" className="breakable">
          {webhook === undefined ? 'A webhook' : nameOf(webhook)}
        </Title>
        {webhook !== undefined && <WebhookState webhook={webhook} />}
      </div>
      <QueryView query={query}>
        {() => webhook !== undefined && <WebhookBody teamId={teamId} webhook={webhook} />}
      </QueryView>
    </Stack>
  );
}

function WebhookBody({ teamId, webhook }: Props) {
  const { id, disabledAt } = webhook;
  const test = useSubmit({
    mutationFn: async () => (await execute(SendTestEventDocument, { id })).sendTestEvent.delivery,
    onSuccess: () => void reloadWebhooks(),
    onError: (error) => toast(error),
  });
  const [asked, setAsked] = useState<'disable' | 'replay' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <HealthNotice webhook={webhook} />
      <Group gap="xs">
        <FocusableButton loading={test.isPending} onClick={() => test.submit()}>
          Send a test event
        </FocusableButton>
        {disabledAt === null ? (
          <>
            <Button variant="default" onClick={() => setAsked('replay')}>
              Replay a period…
            </Button>
            <Button variant="default" onClick={() => setAsked('disable')}>
              Disable…
            </Button>
          </>
        ) : (
          <EnableButton webhook={webhook} />
        )}
      </Group>
      {test.data !== undefined && <TestResult delivery={test.data} />}
      {/* In wide windows, the facts are at the side. */}
      <Flex direction={{ base: 'column', lg: 'row-reverse' }} gap="md" columnGap="xl">
        <WebhookFacts webhook={webhook} />
        <WebhookTabs teamId={teamId} webhook={webhook} />
      </Flex>
      <DisableDialog webhook={webhook} opened={asked === 'disable'} close={close} />
      <ReplayDialog webhook={webhook} opened={asked === 'replay'} close={close} />
    </>
  );
}

function WebhookTabs(props: Props) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const { tab = 'deliveries', outcome } = search;
  // Replaces the history entry, so that Back leaves the page.
  const change = (changed: Partial<typeof search>) =>
    void navigate({ search: { ...search, ...changed }, replace: true });
  return (
    <Tabs
      flex={1}
      miw={0}
      value={tab}
      onChange={(value) => {
        const chosen = tabs.find((tab) => tab === value);
        if (chosen !== undefined) change({ tab: chosen });
      }}
      // Keeps the input and a shown secret in hidden tabs.
      keepMounted
      keepMountedMode="display-none"
    >
      <Tabs.List mb="md" aria-label="Parts of the webhook">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {tabLabels[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="deliveries">
        {tab === 'deliveries' && (
          <Deliveries {...props} outcome={outcome ?? null} choose={(outcome) => change({ outcome })} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <WebhookEditor {...props} />
      </Tabs.Panel>
      <Tabs.Panel value="verification">
        <WebhookVerification {...props} />
      </Tabs.Panel>
    </Tabs>
  );
}

function WebhookFacts({ webhook }: Pick<Props, 'webhook'>) {
  const { id, url, types, form, signature, createdAt, previousSecretExpiresAt } = webhook;
  const isOverlapOver = useIsPast(previousSecretExpiresAt);
  return (
    <Facts>
      <Fact label="URL">
        <Copyable what="the URL" text={url} />
      </Fact>
      <Fact label="Last delivery">
        <LastDelivery webhook={webhook} />
      </Fact>
      <Fact label="Delivered">
        <SuccessRate webhook={webhook} />
      </Fact>
      <Fact label="Events">{types.length === 0 ? 'all' : types.join(', ')}</Fact>
      <Fact label="Form">{formNames[form]}</Fact>
      <Fact label="Signature">{signatureNames[signature]}</Fact>
      <Fact label="Created">
        <Moment at={createdAt} />
      </Fact>
      {previousSecretExpiresAt !== null && !isOverlapOver && (
        <Fact label="Overlap">
          signed with the previous secret too, ends <Moment at={previousSecretExpiresAt} />
        </Fact>
      )}
      <Fact label="Webhook ID">
        <Copyable what="the webhook ID" text={id} />
      </Fact>
    </Facts>
  );
}

function NoWebhook({ teamId }: Pick<Props, 'teamId'>) {
  return (
    <Page title="There is no such webhook">
      <Text role="status">The team has no webhook with this id. It may have been deleted.</Text>
      <TextLink to="/teams/$teamId/webhooks" params={{ teamId }}>
        Go to the webhooks of the team
      </TextLink>
    </Page>
  );
}
