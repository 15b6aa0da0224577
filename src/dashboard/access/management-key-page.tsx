import { Button, Flex, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useAtNow, useIsPast } from '../components/clock.ts';
import { Fact, Facts } from '../components/facts.tsx';
import { AnchorLink, TextLink } from '../components/links.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import { Section } from '../components/section.tsx';
import { KeyStateDot } from '../components/state-dot.tsx';
import type { OneManagementKeyQuery, RotateManagementKeyMutation } from '../generated/graphql.ts';
import { SourceTable } from '../key/sources/observed-sources.tsx';
import { stateNow } from '../key-form/expiry.ts';
import { ExpiryText } from '../key-form/expiry-text.tsx';
import { linkToList } from '../keys/filter/key-query.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { managementKeyWith, permissionsIn } from './access.ts';
import { IssuedManagementKey } from './issued-management-key.tsx';
import { RevokeDialog, RotateDialog } from './management-key-dialogs.tsx';
import { LastUse } from './management-keys.tsx';

const from = '/teams/$teamId/access/keys/$managementKeyId';

type ManagementKey = OneManagementKeyQuery['managementKey'];

interface Props {
  readonly teamId: string;
  readonly managementKey: ManagementKey;
}

/** The page of one management key. React's `key` resets it, so that no secret appears under another key. */
export function ManagementKeyPage() {
  const { teamId, managementKeyId } = useParams({ from });
  return (
    <RequirePermission permission="manage_access" teamId={teamId}>
      <OneKey key={`${teamId} ${managementKeyId}`} teamId={teamId} id={managementKeyId} />
    </RequirePermission>
  );
}

function OneKey({ teamId, id }: { readonly teamId: string; readonly id: string }) {
  const query = useQuery(managementKeyWith(id));
  const { data: managementKey, error } = query;
  const isMissing = error instanceof ApiError && ['CREDENTIAL_NOT_FOUND', 'BAD_USER_INPUT'].includes(error.code);
  if (isMissing) return <NoKey teamId={teamId} />;
  return (
    <Stack>
      <AnchorLink to="/teams/$teamId/access" params={{ teamId }} size="sm" w="max-content">
        <span aria-hidden>‹</span> Access
      </AnchorLink>
      <div>
        {/* The same element before and after the key is loaded, because this element has the focus. */}
        <Title order={1} size="h2" className="breakable">
          {managementKey === undefined ? 'A management key' : managementKey.name}
        </Title>
        {managementKey !== undefined && <KeyStateDot {...managementKey} />}
      </div>
      <QueryView query={query}>{(loaded) => <Body teamId={teamId} managementKey={loaded} />}</QueryView>
    </Stack>
  );
}

function Body({ teamId, managementKey }: Props) {
  const { id, name } = managementKey;
  const [asked, setAsked] = useState<'rotate' | 'revoke' | null>(null);
  const [issued, setIssued] = useState<RotateManagementKeyMutation['rotateManagementKey'] | null>(null);
  const state = useAtNow((now) => stateNow(managementKey, now));
  const close = () => setAsked(null);
  if (issued !== null) {
    const done = () => setIssued(null);
    return (
      <IssuedManagementKey teamId={teamId} issued={issued} done={done} doneLabel="Go back to the management key" />
    );
  }
  return (
    <>
      {state !== 'REVOKED' && (
        <Group gap="xs">
          <Button variant="default" disabled={state === 'EXPIRED'} onClick={() => setAsked('rotate')}>
            Rotate…
          </Button>
          <Button color="red" variant="outline" onClick={() => setAsked('revoke')}>
            Revoke…
          </Button>
        </Group>
      )}
      {/* In wide windows, the facts are at the side. */}
      <Flex direction={{ base: 'column', lg: 'row-reverse' }} gap="md" columnGap="xl">
        <KeyFacts managementKey={managementKey} />
        <Stack flex={1} miw={0}>
          <Made teamId={teamId} id={id} />
          <Section title="Recent sources">
            {managementKey.observedSources.length === 0 ? (
              <Text size="sm">No source yet. They appear here once it is used.</Text>
            ) : (
              <SourceTable label="Recent sources" teamId={teamId} sources={managementKey.observedSources} />
            )}
          </Section>
        </Stack>
      </Flex>
      <RotateDialog id={id} opened={asked === 'rotate'} close={close} onIssued={setIssued} />
      <RevokeDialog id={id} name={name} opened={asked === 'revoke'} close={close} />
    </>
  );
}

/** What was done with the key. After a theft, this is where people look. */
function Made({ teamId, id }: { readonly teamId: string; readonly id: string }) {
  return (
    <Section title="What was done with it">
      <Group gap="md">
        <Text size="sm">
          <TextLink {...linkToList(teamId, { creator: id })}>Everything made by this key</TextLink>
        </Text>
        <Text size="sm">
          <TextLink {...linkToList(teamId, { creator: id, state: 'revoked' })}>Of these, the revoked keys</TextLink>
        </Text>
        <Text size="sm">
          <TextLink to="/teams/$teamId/audit" params={{ teamId }} search={{ actor: id }}>
            All changes made with it
          </TextLink>
        </Text>
      </Group>
    </Section>
  );
}

function KeyFacts({ managementKey }: Pick<Props, 'managementKey'>) {
  const { prefix, permissions, allowedIps, state, expiresAt, signingEnabled, ...times } = managementKey;
  const { lastUsedAt, createdAt, createdBy, rotatedAt, revokedAt, previousPrefix, previousSecretExpiresAt } = times;
  const isOverlapOver = useIsPast(previousSecretExpiresAt);
  return (
    <Facts>
      <Fact label="Prefix">
        <Copyable what="the prefix" text={prefix} />
      </Fact>
      <Fact label="Permissions">{permissionsIn(permissions)}</Fact>
      <Fact label="Usable from">{allowedIps.length === 0 ? 'everywhere' : allowedIps.join(', ')}</Fact>
      <Fact label="Signing">{signingEnabled ? 'required' : 'not required'}</Fact>
      <Fact label="Last used">
        <LastUse at={lastUsedAt} />
      </Fact>
      <Fact label="Expires">
        <ExpiryText expiresAt={expiresAt} state={state} />
      </Fact>
      <Fact label="Created">
        <Moment at={createdAt} /> by {createdBy}
      </Fact>
      {rotatedAt !== null && (
        <Fact label="Rotated">
          <Moment at={rotatedAt} />
        </Fact>
      )}
      {previousSecretExpiresAt !== null && !isOverlapOver && revokedAt === null && (
        <Fact label="Overlap">
          {previousPrefix} is accepted too, ends <Moment at={previousSecretExpiresAt} />
        </Fact>
      )}
      {revokedAt !== null && (
        <Fact label="Revoked">
          <Moment at={revokedAt} />
        </Fact>
      )}
      <Fact label="Management key ID">
        <Copyable what="the management key ID" text={managementKey.id} />
      </Fact>
    </Facts>
  );
}

function NoKey({ teamId }: Pick<Props, 'teamId'>) {
  return (
    <Page title="There is no such management key">
      <Text role="status">The team has no management key with this id.</Text>
      <TextLink to="/teams/$teamId/access" params={{ teamId }}>
        Go to the access of the team
      </TextLink>
    </Page>
  );
}
