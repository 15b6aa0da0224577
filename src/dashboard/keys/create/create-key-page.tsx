import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RequirePermission } from '../../components/require-permission.tsx';
import {
  CreateKeyDocument,
  type CreateKeyMutation,
  type KeyDetailsFragment,
  OneKeyDocument,
} from '../../generated/graphql.ts';
import { CodeExamples, SigningExamples } from '../../secrets/code-examples.tsx';
import { SecretOnce } from '../../secrets/secret-once.tsx';
import { useMay } from '../../session/viewer.ts';
import { AlreadyCreated, isReused } from './lost-key.tsx';
import { inputOf, randomId, startOf } from './new-key.ts';
import { NewKeyForm } from './new-key-form.tsx';

const width = 760;

/** Creates a key: from an empty form, a template, another key (`from`) or the parameters of a link. */
export function CreateKeyPage() {
  const { teamId = '' } = useParams({ strict: false });
  const parameters = new URLSearchParams(useLocation().searchStr);
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
  const [created, setCreated] = useState<CreatedProps['created']>();
  const [lostId, setLostId] = useState<string | null>(null);
  if (created !== undefined)
    return (
      <Page title="Key created" width={width}>
        <CreatedKey teamId={teamId} created={created} again={again} />
      </Page>
    );
  return (
    <Page title={title} width={width}>
      {lostId !== null ? (
        <AlreadyCreated teamId={teamId} keyId={lostId} />
      ) : (
        <NewKeyForm
          teamId={teamId}
          start={start}
          send={async (draft) =>
            (await execute(CreateKeyDocument, { input: inputOf(teamId, draft), idempotencyKey })).createKey
          }
          onSent={(key) => {
            setCreated(key);
            void queries.invalidateQueries();
          }}
          onFailed={(error) => {
            if (isReused(error)) setIdempotencyKey(randomId());
            if (error instanceof ApiError && error.code === 'KEY_ALREADY_CREATED') setLostId(error.keyId);
          }}
        />
      )}
    </Page>
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
    done: () => void navigate({ to: '/teams/$teamId/keys/$keyId', params: { teamId, keyId: apiKey.id } }),
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
