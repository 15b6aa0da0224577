import { Flex, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isUuid } from '../../lib/uuid.ts';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { useAtNow } from '../components/clock.ts';
import { AnchorLink, TextLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { Steady } from '../components/steady.tsx';
import { OneKeyDocument } from '../generated/graphql.ts';
import { stateNow } from '../key-form/expiry.ts';
import { useQuickChange } from '../keys/changes/quick-change.ts';
import { useListLink } from '../keys/filter/key-query.ts';
import { useMay } from '../session/viewer.ts';
import type { PartProps, Question } from './key-change.ts';
import { KeyDialog } from './key-dialog.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyActions, KeyStatus } from './key-header.tsx';
import { KeyTabs } from './key-tabs.tsx';
import { LeakBanner } from './leak/leak-banner.tsx';
import { useOrigin } from './origin.tsx';
import { IssuedSecret } from './rotation/replacement.tsx';
import { StateBanner } from './state-banner.tsx';
import './key-page.css';

/** The page of one API key. React's `key` resets it, so that no data or input appears under another key. */
export function KeyPage() {
  const { teamId, keyId: written } = useParams({ from: '/teams/$teamId/keys/$keyId' });
  // Lower case, as in responses, so that the same key is not cached twice.
  const keyId = written.toLowerCase();
  if (!isUuid(keyId)) return <NoKey teamId={teamId} title="This is not the address of a key" text={malformed} />;
  return (
    <RequirePermission permission="view_team" teamId={teamId}>
      <OneKey key={`${teamId} ${keyId}`} teamId={teamId} keyId={keyId} />
    </RequirePermission>
  );
}

function OneKey({ teamId, keyId }: { readonly teamId: string; readonly keyId: string }) {
  const listLink = useListLink(teamId);
  const query = useQuery({
    queryKey: ['key', keyId],
    queryFn: async ({ signal }) => (await execute(OneKeyDocument, { id: keyId }, signal)).key,
  });
  const { data, error } = query;
  // The question stays while the dialog fades out.
  const [question, setQuestion] = useState<Question>('disable');
  const [asks, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  if (error instanceof ApiError && error.code === 'KEY_NOT_FOUND')
    return <NoKey teamId={teamId} title="There is no such key" text={missing} />;
  // The address names a team that does not own the key.
  if (data !== undefined && data.teamId !== teamId)
    return <Navigate replace to="/teams/$teamId/keys/$keyId" params={{ teamId: data.teamId, keyId }} search />;
  const ask = (question: Question) => {
    setQuestion(question);
    open();
  };
  return (
    <Stack>
      <AnchorLink {...listLink} size="sm" w="max-content">
        <span aria-hidden>‹</span> Keys
      </AnchorLink>
      <Steady>
        <div className="key-head">
          <div>
            {/* The same element before and after the key is loaded, because this element has the focus. */}
            <Title order={1} size="h2" className="breakable">
              {data?.name ?? 'A key'}
            </Title>
            {data !== undefined && <KeyStatus apiKey={data} />}
          </div>
          {data !== undefined && <KeyActions apiKey={data} ask={ask} />}
        </div>
        <QueryView query={query}>
          {(apiKey) => <KeyBody apiKey={apiKey} ask={ask} secret={secret} forget={() => setSecret(undefined)} />}
        </QueryView>
        {data !== undefined && (
          <KeyDialog apiKey={data} question={question} opened={asks} close={close} onSecret={setSecret} />
        )}
      </Steady>
    </Stack>
  );
}

interface BodyProps extends Pick<PartProps, 'apiKey' | 'ask'> {
  /** The secret that replaced a leaked one, until the user has stored it. */
  readonly secret: string | undefined;
  readonly forget: () => void;
}

function KeyBody({ apiKey, ask, secret, forget }: BodyProps) {
  const state = useAtNow((now) => stateNow(apiKey, now));
  const mayManage = useMay('manage_keys', apiKey.teamId);
  const editable = mayManage && apiKey.revokedAt === null;
  const { created, cause } = useOrigin(apiKey, state);
  const { enable } = useQuickChange(apiKey.teamId);
  const { leak } = apiKey;
  return (
    <>
      <IssuedSecret
        apiKey={apiKey}
        kind="key"
        isPending={false}
        data={secret === undefined ? undefined : { secret }}
        reset={() => {
          forget();
          enable(apiKey);
        }}
        doneLabel="Enable the key"
        other={{ label: 'Leave it disabled', act: forget }}
      />
      {leak !== null && <LeakBanner apiKey={apiKey} leak={leak} state={state} editable={editable} ask={ask} />}
      <StateBanner apiKey={apiKey} state={state} mayManage={mayManage} cause={cause} ask={ask} />
      {!mayManage && (
        <Text size="sm" c="dimmed" role="status">
          Your session can view this key, but not change it.
        </Text>
      )}
      {/* In wide windows, the facts are at the side. */}
      <Flex direction={{ base: 'column', lg: 'row-reverse' }} gap="md" columnGap="xl">
        <KeyFacts apiKey={apiKey} created={created} />
        <KeyTabs apiKey={apiKey} editable={editable} ask={ask} />
      </Flex>
    </>
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
