import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { reloadKeys } from '../../api/query-client.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RequirePermission } from '../../components/require-permission.tsx';
import {
  CreateKeyDocument,
  type CreateKeyInput,
  type CreateKeyMutation,
  type KeyDetailsFragment,
  OneKeyDocument,
} from '../../generated/graphql.ts';
import { problemsOf } from '../../key-form/key-draft.ts';
import { usePolicies } from '../../policy/policy.ts';
import { CodeExamples, SigningExamples } from '../../secrets/code-examples.tsx';
import { SecretOnce } from '../../secrets/secret-once.tsx';
import { useMay } from '../../session/viewer.ts';
import { linkToList } from '../filter/key-query.ts';
import { AlreadyCreated, isReused } from './lost-key.tsx';
import { givenOf, governed, inputOf, randomId, startOf, withDefaults } from './new-key.ts';
import { NewKeyForm } from './new-key-form.tsx';

const width = 760;

/** Creates a key: from an empty form, a template, another key (`from`) or the parameters of a link. */
export function CreateKeyPage() {
  const { teamId = '' } = useParams({ strict: false });
  const parameters = new URLSearchParams(useLocation().searchStr);
  const from = parameters.get('from');
  const mayCreate = useMay('manage_keys', teamId);
  const [round, setRound] = useState(0);
  const title = from === null ? 'Create a key' : 'Duplicate a key';
  const original = useQuery({
    queryKey: ['key-to-duplicate', from],
    queryFn: async ({ signal }) => (await execute(OneKeyDocument, { id: from ?? '' }, signal)).key,
    enabled: mayCreate && from !== null,
  });
  if (from !== null && original.data === undefined)
    return (
      <RequirePermission permission="manage_keys" teamId={teamId}>
        <Page title={title}>
          <QueryView query={original}>{() => null}</QueryView>
        </Page>
      </RequirePermission>
    );
  return (
    <Creation
      // `key` begins again with another link, and for another key.
      key={`${teamId} ${parameters} ${round}`}
      title={title}
      teamId={teamId}
      like={original.data}
      parameters={parameters}
      again={() => setRound(round + 1)}
    />
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
  const [start] = useState(() => startOf(like, parameters));
  // The same for all attempts from this form, so that a retry after a lost response creates no second key.
  const [openedAt] = useState(() => Date.now());
  const [idempotencyKey, setIdempotencyKey] = useState(randomId);
  const { policies, isLoading } = usePolicies(teamId);
  const form = useServerForm({
    initialValues: start.draft,
    initialTouched: start.given,
    validate: problemsOf,
    validateInputOnChange: true,
    send: async (draft) => {
      const policy = policies[draft.env];
      const chosen = withDefaults(draft, policy?.defaults, form.isTouched);
      const input = inputOf(teamId, governed(chosen, policy?.effective, openedAt), openedAt);
      const sent: CreateKeyInput = policy === undefined ? givenOf(input, form.isTouched) : input;
      return (await execute(CreateKeyDocument, { input: sent, idempotencyKey })).createKey;
    },
    onSent: () => void reloadKeys(),
    onFailed: (error) => {
      if (isReused(error)) setIdempotencyKey(randomId());
    },
  });
  const { data: created, error } = form;
  if (created !== undefined)
    return (
      <Page title="Key created" width={width}>
        <CreatedKey teamId={teamId} created={created} again={again} isFirst={parameters.has('steps')} />
      </Page>
    );
  const lostId = error instanceof ApiError && error.code === 'KEY_ALREADY_CREATED' ? error.keyId : null;
  // Not around the new key, whose secret must stay on the page if the permission ends meanwhile.
  return (
    <RequirePermission permission="manage_keys" teamId={teamId}>
      <Page title={title} width={width}>
        {lostId === null ? (
          <NewKeyForm
            teamId={teamId}
            start={start}
            form={form}
            policy={policies[form.values.env]}
            isPolicyLoading={isLoading}
          />
        ) : (
          <AlreadyCreated teamId={teamId} keyId={lostId} />
        )}
      </Page>
    </RequirePermission>
  );
}

interface CreatedProps {
  readonly teamId: string;
  readonly created: CreateKeyMutation['createKey'];
  readonly again: () => void;
  /** Whether the key is made in the first steps of the team. */
  readonly isFirst: boolean;
}

/** Shows the secret of a new key, then its signing secret if it has one. */
function CreatedKey({ teamId, created, again, isFirst }: CreatedProps) {
  const navigate = useNavigate();
  const [kept, setKept] = useState(false);
  const { apiKey, secret, signingSecret } = created;
  const end = {
    done: () =>
      isFirst
        ? navigate(linkToList(teamId))
        : navigate({ to: '/teams/$teamId/keys/$keyId', params: { teamId, keyId: apiKey.id } }),
    doneLabel: isFirst ? 'Go on with the first steps' : 'Go to the key',
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
