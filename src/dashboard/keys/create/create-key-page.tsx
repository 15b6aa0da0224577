import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { createKey, oneKey } from '../../api/operations.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { QueryResult } from '../../components/loading/query-result.tsx';
import { Page } from '../../components/page.tsx';
import type { KeyDetailsFragment } from '../../generated/graphql.ts';
import { IssuingGuard } from '../../secrets/secret-once.tsx';
import { Permitted } from '../../session/permitted.tsx';
import { CreatedKey } from './created-key.tsx';
import { AlreadyCreated, CreatedDifferently } from './lost-response.tsx';
import { inputOf, type NewKeyDraft } from './new-key-draft.ts';
import { NewKeyForm } from './new-key-form.tsx';
import { startOf } from './templates.ts';

/** Creates a key: from an empty form, a template, another key (`from`) or the parameters of a link. */
export function CreateKeyPage() {
  const { teamId = '' } = useParams();
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const id = `${teamId} ${parameters}`;
  return (
    <Permitted permission="manage_keys" teamId={teamId}>
      <Page title={from === null ? 'Create a key' : 'Duplicate a key'} width={760}>
        {from === null ? (
          <Creation key={id} teamId={teamId} like={undefined} parameters={parameters} />
        ) : (
          <Duplication key={id} teamId={teamId} from={from} parameters={parameters} />
        )}
      </Page>
    </Permitted>
  );
}

function Duplication({ from, ...props }: Omit<Props, 'like'> & { readonly from: string }) {
  const query = useQuery({
    queryKey: ['key-to-duplicate', from],
    queryFn: async ({ signal }) => (await execute(oneKey, { id: from }, signal)).key,
  });
  return <QueryResult query={query}>{(like) => <Creation like={like} {...props} />}</QueryResult>;
}

interface Props {
  readonly teamId: string;
  /** The key to duplicate. */
  readonly like: KeyDetailsFragment | undefined;
  readonly parameters: URLSearchParams;
}

function Creation({ teamId, like, parameters }: Props) {
  const queries = useQueryClient();
  const [start] = useState(() => startOf(like, parameters));
  // The same for all attempts from this form, so that a retry after a lost response creates no second key.
  const [idempotencyKey, setIdempotencyKey] = useState(randomId);
  const { data, error, isPending, submit } = useSubmit({
    mutationFn: async (draft: NewKeyDraft) =>
      (await execute(createKey, { input: inputOf(teamId, draft), idempotencyKey })).createKey,
    // Not awaited, so that the secret is shown immediately.
    onSuccess: () => void queries.invalidateQueries(),
    onError: (error) => isReused(error) && setIdempotencyKey(randomId()),
    // The response contains secrets: it is deleted from the cache when the user leaves the page.
    gcTime: 0,
  });
  if (data !== undefined) return <CreatedKey teamId={teamId} created={data} />;
  if (error instanceof ApiError && error.code === 'KEY_ALREADY_CREATED' && error.keyId !== null)
    return <AlreadyCreated teamId={teamId} keyId={error.keyId} />;
  return (
    <>
      <NewKeyForm
        teamId={teamId}
        start={start}
        error={error}
        notice={isReused(error) && <CreatedDifferently teamId={teamId} />}
        pending={isPending}
        create={submit}
      />
      {isPending && <IssuingGuard />}
    </>
  );
}

function isReused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED';
}

/** Not `crypto.randomUUID`, which pages over plain HTTP from another machine do not have. */
function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
