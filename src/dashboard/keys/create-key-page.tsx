import { Alert, Loader, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { createKey } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { IssuingGuard } from '../components/issuing-guard.tsx';
import type { KeySettingsQuery } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import { CreatedKey } from './create/created-key.tsx';
import { fromTemplate } from './create/templates.ts';
import { inputOf, newWish, type Wish, wishLike, withParameters } from './create/wish.ts';
import { WishForm } from './create/wish-form.tsx';
import { keySettings } from './operations.ts';

/** Creates a key: from an empty form, a template, another key (`from`) or the parameters of a link. */
export function CreateKeyPage() {
  const { teamId = '' } = useParams();
  const [parameters] = useSearchParams();
  const mayManage = useMay('manage_keys', teamId);
  const from = parameters.get('from');
  const { data, error } = useQuery({
    queryKey: ['key-settings', from],
    queryFn: async ({ signal }) => (await execute(keySettings, { id: from ?? '' }, signal)).key,
    enabled: from !== null && mayManage,
  });
  if (!mayManage) {
    return (
      <Alert title="Not for this session" role="status">
        Your session token does not grant manage_keys on this team.
      </Alert>
    );
  }
  return (
    <Stack maw={760}>
      <Title order={1} size="h2">
        {from === null ? 'Create a key' : 'Duplicate a key'}
      </Title>
      {error !== null && <ErrorNotice error={error} />}
      {from !== null && data === undefined && error === null && <Loader aria-label="Loading" />}
      {(from === null || data !== undefined) && (
        <Creation key={`${teamId} ${parameters}`} teamId={teamId} like={data} parameters={parameters} />
      )}
    </Stack>
  );
}

interface Props {
  readonly teamId: string;
  /** The key to duplicate. */
  readonly like: KeySettingsQuery['key'] | undefined;
  readonly parameters: URLSearchParams;
}

function Creation({ teamId, like, parameters }: Props) {
  const queries = useQueryClient();
  const [initial] = useState(() =>
    withParameters(
      fromTemplate(like === undefined ? newWish() : wishLike(like), parameters.get('template')),
      parameters,
    ),
  );
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: async (wish: Wish) => (await execute(createKey, { input: inputOf(teamId, wish) })).createKey,
    // Not awaited: the secret is shown at once.
    onSuccess: () => void queries.invalidateQueries(),
    // The response contains secrets: it is deleted from the cache when the user leaves the page.
    gcTime: 0,
  });
  if (data !== undefined) return <CreatedKey teamId={teamId} created={data} />;
  return (
    <>
      <WishForm teamId={teamId} initial={initial} error={error} pending={isPending} create={mutate} />
      {isPending && <IssuingGuard />}
    </>
  );
}
