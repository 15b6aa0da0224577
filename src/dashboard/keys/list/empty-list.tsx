import { Anchor, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ButtonLink, DocsTextLink } from '../../components/links.tsx';
import { useLoaded } from '../../components/loading/loaded.ts';
import { NotLoaded } from '../../components/loading/not-loaded.tsx';
import { fromServer } from '../../server-values.ts';
import { useMay } from '../../session/viewer.ts';
import { useFirstSteps } from '../create/use-first-steps.ts';
import { type KeyQuery, linkToList } from '../filter/key-query.ts';
import { allRevoked, useHasRevoked } from './list-queries.tsx';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  /** The cursor to continue from, because each page searches a limited part of a long list. Null at the end. */
  readonly next: string | null;
}

export function EmptyList({ teamId, query, next }: Props) {
  const isUnfiltered = query.page === 1 && !query.narrowed;
  const { data: hasRevoked, error } = useHasRevoked(teamId, isUnfiltered);
  const firstSteps = useFirstSteps(teamId);
  const isNew = isUnfiltered && hasRevoked === false;
  useEffect(() => {
    if (isNew && !firstSteps.isShown && !firstSteps.isDismissed) firstSteps.open();
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (isUnfiltered && hasRevoked === undefined) return <Loader aria-label="Loading" />;
  return (
    <Paper withBorder p="xl" ta="center">
      <Stack align="center" gap="sm">
        <Text role="status">{isUnfiltered && hasRevoked ? allRevoked : messageOf(query, next)}</Text>
        {next !== null && <Button onClick={() => query.nextPage(next)}>Continue the search</Button>}
        {query.page > 1 && <Button onClick={query.previousPage}>Previous page</Button>}
        {query.page === 1 && query.narrowed && <Button onClick={query.clear}>Clear the filters</Button>}
        {isUnfiltered && (
          <>
            <FirstKeyLinks teamId={teamId} hasRevoked={hasRevoked === true} />
            {firstSteps.isDismissed && !hasRevoked && (
              <Button variant="default" onClick={firstSteps.open}>
                Show the first steps
              </Button>
            )}
            <Text size="sm" c="dimmed">
              Programs can create keys over{' '}
              <Anchor href="/openapi" inherit underline="always">
                REST
              </Anchor>{' '}
              and{' '}
              {fromServer('graphiql') === 'true' ? (
                <Anchor href="/graphql" inherit underline="always">
                  GraphQL
                </Anchor>
              ) : (
                <DocsTextLink section="graphql">GraphQL</DocsTextLink>
              )}
              .
            </Text>
          </>
        )}
      </Stack>
    </Paper>
  );
}

const loadSteps = async () => (await import('../create/first-steps.tsx')).FirstSteps;

/** Mounted beside the list, because the steps go on when the list has its first key. */
export function FirstStepsOfTeam({ teamId }: { readonly teamId: string }) {
  const { isShown } = useFirstSteps(teamId);
  const { part: FirstSteps, failed, retry } = useLoaded(loadSteps, isShown);
  if (!isShown) return null;
  if (failed) return <NotLoaded what="The first steps" retry={retry} />;
  return FirstSteps === undefined ? null : <FirstSteps teamId={teamId} />;
}

function messageOf({ page, narrowed }: KeyQuery, next: string | null): string {
  if (next !== null) return 'No key found yet. The search can go on.';
  if (page > 1) return 'There are no more keys.';
  return narrowed ? 'No key matches these filters.' : 'This team has no keys yet.';
}

interface LinksProps {
  readonly teamId: string;
  readonly hasRevoked: boolean;
  /** Shown if the session can neither create nor import keys. */
  readonly otherwise?: ReactNode;
}

export function FirstKeyLinks({ teamId, hasRevoked, otherwise }: LinksProps) {
  const mayManage = useMay('manage_keys', teamId);
  const mayImport = useMay('import_keys', teamId);
  return (
    <Group gap="xs" mt="xs">
      {mayManage && (
        <ButtonLink variant="default" to="/teams/$teamId/keys/new" params={{ teamId }}>
          {hasRevoked ? 'Create a key' : 'Create the first key'}
        </ButtonLink>
      )}
      {hasRevoked && (
        <ButtonLink variant="default" {...linkToList(teamId, { state: 'all' })}>
          Show the revoked keys
        </ButtonLink>
      )}
      {mayImport && (
        <ButtonLink variant="default" to="/teams/$teamId/import" params={{ teamId }}>
          Import keys
        </ButtonLink>
      )}
      {!mayManage && !mayImport && otherwise}
    </Group>
  );
}
