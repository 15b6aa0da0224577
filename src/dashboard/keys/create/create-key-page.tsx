import { Alert, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { ButtonLink, TextLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RequirePermission } from '../../components/require-permission.tsx';
import { useFirstFocus } from '../../components/use-first-focus.ts';
import {
  CreateKeyDocument,
  type CreateKeyMutation,
  type KeyDetailsFragment,
  OneKeyDocument,
} from '../../generated/graphql.ts';
import { VerifyCommand } from '../../secrets/copyable.tsx';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { SigningExamples } from '../../secrets/signing-examples.tsx';
import { fromServer } from '../../server-values.ts';
import { useMay } from '../../session/viewer.ts';
import { linkToList } from '../filter/key-query.ts';
import { inputOf, type NewKeyDraft, startOf } from './new-key.ts';
import { NewKeyForm } from './new-key-form.tsx';

/** Creates a key: from an empty form, a template, another key (`from`) or the parameters of a link. */
export function CreateKeyPage() {
  const { teamId = '' } = useParams({ strict: false });
  const parameters = new URLSearchParams(useLocation().searchStr);
  const from = parameters.get('from');
  const id = `${teamId} ${parameters}`;
  const mayCreate = useMay('manage_keys', teamId);
  const original = useQuery({
    queryKey: ['key-to-duplicate', from],
    queryFn: async ({ signal }) => (await execute(OneKeyDocument, { id: from ?? '' }, signal)).key,
    enabled: mayCreate && from !== null,
  });
  return (
    <RequirePermission permission="manage_keys" teamId={teamId}>
      <Page title={from === null ? 'Create a key' : 'Duplicate a key'} width={760}>
        {from === null ? (
          <Creation key={id} teamId={teamId} like={undefined} parameters={parameters} />
        ) : (
          <QueryView query={original}>
            {(like) => <Creation key={id} teamId={teamId} like={like} parameters={parameters} />}
          </QueryView>
        )}
      </Page>
    </RequirePermission>
  );
}

interface Props {
  readonly teamId: string;
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
      (await execute(CreateKeyDocument, { input: inputOf(teamId, draft), idempotencyKey })).createKey,
    // Not awaited, so that the secret is shown immediately.
    onSuccess: () => void queries.invalidateQueries(),
    onError: (error) => isReused(error) && setIdempotencyKey(randomId()),
    // The response contains secrets, so it is deleted from the cache when the user leaves the page.
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

/** Returns a random id. Pages that are loaded over plain HTTP from another machine have no `crypto.randomUUID`. */
function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Replaces the form, so that no second key is created. */
function AlreadyCreated({ teamId, keyId }: { readonly teamId: string; readonly keyId: string }) {
  const title = useFirstFocus<HTMLSpanElement>();
  return (
    <Alert
      color="yellow"
      role="alert"
      title={
        <span ref={title} tabIndex={-1} className="announced">
          The key was created, but its secret was not shown
        </span>
      }
    >
      <Text size="sm">
        The response to an earlier attempt was lost, and secrets can’t be read again. Rotate the key to get another
        secret, or revoke it. If its requests must be signed, rotate its signing secret too.
      </Text>
      <Group mt="sm">
        <ButtonLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId }} search={{ part: 'rotate' }}>
          Open the key
        </ButtonLink>
      </Group>
    </Alert>
  );
}

/** Warns that an earlier attempt created a key, with the settings that the form had at that time. */
function CreatedDifferently({ teamId }: { readonly teamId: string }) {
  return (
    <Alert color="yellow" role="alert" title="An earlier attempt created a key with other settings">
      <Text size="sm">
        Its response was lost, and so was the secret. Revoke that key: it is the newest one in the{' '}
        <TextLink {...linkToList(teamId, { sort: '-CREATED_AT' })}>list</TextLink>. Create now creates another one.
      </Text>
    </Alert>
  );
}

interface CreatedProps {
  readonly teamId: string;
  readonly created: CreateKeyMutation['createKey'];
}

/** Shows the secret of a new key, then its signing secret if it has one. */
function CreatedKey({ teamId, created: { apiKey, secret, signingSecret } }: CreatedProps) {
  const navigate = useNavigate();
  const [kept, setKept] = useState(false);
  const goToKey = () => void navigate({ to: '/teams/$teamId/keys/$keyId', params: { teamId, keyId: apiKey.id } });
  if (kept && signingSecret != null) {
    return (
      <SecretOnce
        // `key` resets the component, so that it warns about the second secret too.
        key="signing"
        title={`The signing secret of “${apiKey.name}”`}
        kind="signing"
        secret={signingSecret}
        fileName={`${apiKey.prefix}-signing.txt`}
        done={goToKey}
        doneLabel="Go to the key"
      >
        <SigningExamples keyId={apiKey.id} />
      </SecretOnce>
    );
  }
  return (
    <>
      {signingSecret != null && (
        <LeaveGuard
          title="Leave without the signing secret?"
          text="It has not been shown yet, and it can’t be shown later."
        />
      )}
      <SecretOnce
        title={`The secret of “${apiKey.name}”`}
        kind="key"
        secret={secret}
        fileName={`${apiKey.prefix}.txt`}
        done={signingSecret == null ? goToKey : () => setKept(true)}
        doneLabel={signingSecret == null ? 'Go to the key' : 'Continue to the signing secret'}
      >
        <Text size="sm">Send it as {fromServer('key-instruction')}.</Text>
        <VerifyCommand apiKey={apiKey} secret={secret} />
      </SecretOnce>
    </>
  );
}
