import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RequirePermission } from '../../components/require-permission.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useFirstFocus } from '../../components/use-first-focus.ts';
import {
  CreateKeyDocument,
  type CreateKeyMutation,
  type KeyDetailsFragment,
  OneKeyDocument,
} from '../../generated/graphql.ts';
import { CodeExamples, SigningExamples } from '../../secrets/code-examples.tsx';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { useMay } from '../../session/viewer.ts';
import { inputOf, type NewKeyDraft, randomId, startOf } from './new-key.ts';
import { NewKeyForm } from './new-key-form.tsx';

const width = 760;

/** Creates a key: from an empty form, a template, another key (`from`) or the parameters of a link. */
export function CreateKeyPage() {
  const { teamId = '' } = useParams();
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const id = `${teamId} ${parameters}`;
  const mayCreate = useMay('manage_keys', teamId);
  const [round, setRound] = useState(0);
  const title = from === null ? 'Create a key' : 'Duplicate a key';
  const creation = { title, teamId, parameters, again: () => setRound(round + 1) };
  const original = useQuery({
    queryKey: ['key-to-duplicate', from],
    queryFn: async ({ signal }) => (await execute(OneKeyDocument, { id: from ?? '' }, signal)).key,
    enabled: mayCreate && from !== null,
  });
  return (
    <RequirePermission permission="manage_keys" teamId={teamId}>
      {from === null || original.data !== undefined ? (
        // `key` begins again with another link, and for another key.
        <Creation key={`${id} ${round}`} like={original.data} {...creation} />
      ) : (
        <Page title={title}>
          <QueryView query={original}>{() => null}</QueryView>
        </Page>
      )}
    </RequirePermission>
  );
}

interface Props {
  readonly title: string;
  readonly teamId: string;
  readonly like: KeyDetailsFragment | undefined;
  readonly parameters: URLSearchParams;
  /** Begins another key. */
  readonly again: () => void;
}

function Creation({ title, teamId, like, parameters, again }: Props) {
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
  if (data !== undefined)
    return (
      <Page title="Key created" width={width}>
        <CreatedKey teamId={teamId} created={data} again={again} />
      </Page>
    );
  if (error instanceof ApiError && error.code === 'KEY_ALREADY_CREATED' && error.keyId !== null)
    return (
      <Page title={title} width={width}>
        <AlreadyCreated teamId={teamId} keyId={error.keyId} />
      </Page>
    );
  return (
    <Page title={title} width={width}>
      <NewKeyForm
        teamId={teamId}
        start={start}
        error={error}
        notice={isReused(error) && <CreatedDifferently teamId={teamId} />}
        pending={isPending}
        create={submit}
      />
      {isPending && <IssuingGuard />}
    </Page>
  );
}

function isReused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED';
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
        <Button component={Link} to={`/teams/${teamId}/keys/${keyId}?part=rotate`}>
          Open the key
        </Button>
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
        <TextLink to={`/teams/${teamId}/keys?sort=-CREATED_AT`}>list</TextLink>. Create now creates another one.
      </Text>
    </Alert>
  );
}

interface CreatedProps {
  readonly teamId: string;
  readonly created: CreateKeyMutation['createKey'];
  readonly again: () => void;
}

/** Shows the secret of a new key, then its signing secret if it has one. */
function CreatedKey({ teamId, created: { apiKey, secret, signingSecret }, again }: CreatedProps) {
  const navigate = useNavigate();
  const [kept, setKept] = useState(false);
  const end = {
    done: () => navigate(`/teams/${teamId}/keys/${apiKey.id}`),
    doneLabel: 'Go to the key',
    other: { label: 'Create another', act: again },
  };
  if (kept && signingSecret != null) {
    return (
      <SecretOnce
        // `key` resets the component, so that it warns about the second secret too.
        key="signing"
        title={`The signing secret of “${apiKey.name}”`}
        kind="signing"
        secret={signingSecret}
        fileName={`${apiKey.prefix}-signing.txt`}
        {...end}
      >
        <SigningExamples keyId={apiKey.id} />
      </SecretOnce>
    );
  }
  const next = { done: () => setKept(true), doneLabel: 'Continue to the signing secret' };
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
        {...(signingSecret == null ? end : next)}
      >
        <CodeExamples apiKey={apiKey} />
      </SecretOnce>
    </>
  );
}
