import { Alert, Anchor, Breadcrumbs, Code, Group, Loader, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearchParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { oneKey } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { EnvBadge, ExpiryText, StateBadge } from '../components/key-facts.tsx';
import { Moment } from '../components/moment.tsx';
import { useMay } from '../session/viewer.ts';
import { DetailsForm } from './details-form.tsx';
import { History } from './history.tsx';
import type { Key } from './key-change.ts';
import { KeyUse } from './key-use.tsx';
import { RevokeButton } from './revoke-button.tsx';
import { Signing } from './signing.tsx';
import { SourcesForm } from './sources-form.tsx';

/** The page of one key. */
export function KeyPage() {
  const { teamId = '', keyId = '' } = useParams();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['key', keyId],
    queryFn: async ({ signal }) => (await execute(oneKey, { id: keyId }, signal)).key,
  });
  return (
    <Stack maw={980}>
      <Breadcrumbs>
        <Anchor component={Link} to={`/teams/${teamId}/keys`}>
          Keys
        </Anchor>
        <Text>{data?.name ?? '…'}</Text>
      </Breadcrumbs>
      {data === undefined && (
        <Title order={1} size="h2">
          A key
        </Title>
      )}
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {data === undefined && error === null && <Loader aria-label="Loading" />}
      {data !== undefined && <Facts apiKey={data} />}
      {/* Keyed: a form must never show, or save, what was entered for another key. */}
      {data !== undefined && <Parts key={data.id} apiKey={data} />}
    </Stack>
  );
}

function Facts({ apiKey }: { readonly apiKey: Key }) {
  const { name, prefix, env, state, lastUsedAt, createdAt, expiresAt, revokedAt } = apiKey;
  return (
    <Stack gap="xs">
      <Title order={1} size="h2" className="breakable">
        {name}
      </Title>
      <Group gap="xs">
        <Code>{prefix}</Code>
        <EnvBadge env={env} />
        <StateBadge state={state} />
      </Group>
      <Group gap="lg">
        <Text size="sm">Last used: {lastUsedAt == null ? 'never' : <Moment at={lastUsedAt} />}</Text>
        <Text size="sm">
          Created: <Moment at={createdAt} />
        </Text>
        {revokedAt == null ? (
          <Group gap={4} fz="sm">
            Expires: <ExpiryText expiresAt={expiresAt ?? null} />
          </Group>
        ) : (
          <Text size="sm">
            Revoked: <Moment at={revokedAt} />
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Parts({ apiKey }: { readonly apiKey: Key }) {
  const [parameters, setParameters] = useSearchParams();
  const mayManage = useMay('manage_keys', apiKey.teamId);
  const editable = mayManage && apiKey.state !== 'REVOKED';
  return (
    <Tabs
      value={parameters.get('part') ?? 'settings'}
      onChange={(part) => setParameters({ part: part ?? 'settings' }, { replace: true })}
      // Keeps the input of hidden tabs. Charts are rendered only when their tab is shown.
      keepMounted
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
        <Tabs.Tab value="use">Use</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="settings">
        <Stack>
          {!editable && (
            <Alert role="status">
              {mayManage ? 'A revoked key can’t be changed.' : 'Your session can view this key, but not change it.'}
            </Alert>
          )}
          {editable && <DetailsForm apiKey={apiKey} />}
          <SourcesForm apiKey={apiKey} editable={editable} />
          <Signing apiKey={apiKey} editable={editable} />
          {editable && <RevokeButton apiKey={apiKey} />}
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="use">{parameters.get('part') === 'use' && <KeyUse keyId={apiKey.id} />}</Tabs.Panel>
      <Tabs.Panel value="history">{parameters.get('part') === 'history' && <History apiKey={apiKey} />}</Tabs.Panel>
    </Tabs>
  );
}
