import { Alert, Breadcrumbs, Code, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { isUuid } from '../../lib/uuid.ts';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { AnchorLink, TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { Section } from '../components/section.tsx';
import { KeyUsageDocument, OneKeyDocument, TeamTrailDocument } from '../generated/graphql.ts';
import { useListLink } from '../keys/filter/key-query.ts';
import { useMay } from '../session/viewer.ts';
import { Use } from '../usage/use.tsx';
import { DetailsForm } from './details/details-form.tsx';
import { Disable, Revoke } from './details/stop-key.tsx';
import { Trail } from './history/trail.tsx';
import type { Key } from './key-change.ts';
import { KeySummary } from './key-summary.tsx';
import { Rotation } from './rotation/rotation.tsx';
import { Signing } from './rotation/signing.tsx';
import { ObservedSources } from './sources/observed-sources.tsx';
import { SourcesForm } from './sources/sources-form.tsx';

/** The page of one API key. React's `key` resets it, so that no data or input appears under another key. */
export function KeyPage() {
  const { teamId, keyId: written } = useParams({ from: '/teams/$teamId/keys/$keyId' });
  // Lower case, as in responses, so that the same key is not cached twice.
  const keyId = written.toLowerCase();
  if (!isUuid(keyId)) return <NoKey teamId={teamId} title="This is not the address of a key" text={malformed} />;
  return <OneKey key={`${teamId} ${keyId}`} teamId={teamId} keyId={keyId} />;
}

function OneKey({ teamId, keyId }: { readonly teamId: string; readonly keyId: string }) {
  const listLink = useListLink(teamId);
  const query = useQuery({
    queryKey: ['key', keyId],
    queryFn: async ({ signal }) => (await execute(OneKeyDocument, { id: keyId }, signal)).key,
  });
  const { data, error } = query;
  if (error instanceof ApiError && error.code === 'KEY_NOT_FOUND')
    return <NoKey teamId={teamId} title="There is no such key" text={missing} />;
  // The address names a team that does not own the key.
  if (data !== undefined && data.teamId !== teamId)
    return <Navigate replace to="/teams/$teamId/keys/$keyId" params={{ teamId: data.teamId, keyId }} search />;
  return (
    <Stack maw={980}>
      <Breadcrumbs>
        <AnchorLink {...listLink}>Keys</AnchorLink>
        <Text className="breakable">{data?.name ?? '…'}</Text>
      </Breadcrumbs>
      {/* The same element before and after the key is loaded, because this element has the focus. */}
      <Title order={1} size="h2" className="breakable">
        {data?.name ?? 'A key'}
      </Title>
      <QueryView query={query}>
        {(apiKey) => (
          <>
            <KeySummary apiKey={apiKey} />
            <Parts apiKey={apiKey} />
          </>
        )}
      </QueryView>
    </Stack>
  );
}

const malformed = 'The last part of the address must be the id of a key, a UUID. It may be incomplete.';
const missing =
  'No team of your session has a key with this id. Its team may be another one, or the key was revoked so long ago that it has been deleted.';

/** Says why no key is shown. Has no button to try again, because another try would not help. */
function NoKey({ teamId, title, text }: { readonly teamId: string; readonly title: string; readonly text: string }) {
  return (
    <Page title={title} width={980}>
      <Text role="status">{text}</Text>
      <TextLink {...useListLink(teamId)}>Go to the keys of the team</TextLink>
    </Page>
  );
}

const parts = [
  { value: 'settings', label: 'Settings' },
  { value: 'rotate', label: 'Rotate' },
  { value: 'use', label: 'Use' },
  { value: 'history', label: 'History' },
] as const;

function Parts({ apiKey }: { readonly apiKey: Key }) {
  const { id: keyId, teamId } = apiKey;
  const search = useSearch({ from: '/teams/$teamId/keys/$keyId' });
  const navigate = useNavigate({ from: '/teams/$teamId/keys/$keyId' });
  const mayManage = useMay('manage_keys', teamId);
  const editable = mayManage && apiKey.revokedAt === null;
  const part = parts.find(({ value }) => value === search.part)?.value ?? 'settings';
  return (
    <Tabs
      value={part}
      onChange={(part) => void navigate({ search: { part: part ?? 'settings' }, replace: true })}
      // Keeps the input in hidden tabs. Parts that load data are rendered only while their tab is shown.
      keepMounted
      // The default cleans up the effects of hidden tabs, and so stops mutations and leave guards.
      keepMountedMode="display-none"
    >
      <Tabs.List mb="md">
        {parts.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {!editable && (
        <Alert role="status" mb="md">
          {mayManage ? 'A revoked key can’t be changed.' : 'Your session can view this key, but not change it.'}
        </Alert>
      )}
      <Tabs.Panel value="settings">
        <Stack>
          {editable && <DetailsForm apiKey={apiKey} />}
          {!editable && apiKey.metadata !== null && (
            <Section title="Metadata">
              <Code block tabIndex={0}>
                {JSON.stringify(apiKey.metadata, null, 2)}
              </Code>
            </Section>
          )}
          <SourcesForm apiKey={apiKey} editable={editable} />
          <Signing apiKey={apiKey} editable={editable} />
          {editable && <Disable apiKey={apiKey} />}
          {editable && <Revoke apiKey={apiKey} />}
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="rotate">
        <Rotation apiKey={apiKey} editable={editable} shown={part === 'rotate'} />
      </Tabs.Panel>
      <Tabs.Panel value="use">{part === 'use' && <KeyUse apiKey={apiKey} editable={editable} />}</Tabs.Panel>
      <Tabs.Panel value="history">
        {part === 'history' && (
          <Trail
            queryKey={['history', keyId]}
            read={async (after, signal) =>
              (await execute(TeamTrailDocument, { teamId, keyId, first: 20, after }, signal)).auditLog
            }
          />
        )}
      </Tabs.Panel>
    </Tabs>
  );
}

function KeyUse({ apiKey, editable }: { readonly apiKey: Key; readonly editable: boolean }) {
  const keyId = apiKey.id;
  const read = async (from: Date, to: Date, signal: AbortSignal) =>
    (await execute(KeyUsageDocument, { keyId, from: from.toISOString(), to: to.toISOString() }, signal)).usage;
  return (
    <Stack>
      <Section title="Verifications">
        <Use of={['usage', keyId]} read={read} />
      </Section>
      <ObservedSources apiKey={apiKey} editable={editable} />
    </Stack>
  );
}
