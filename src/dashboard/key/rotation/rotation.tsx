import { Alert, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { useIsPast } from '../../components/clock.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { RotateKeyDocument } from '../../generated/graphql.ts';
import { CodeExamples } from '../../secrets/code-examples.tsx';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { type Key, useKeyChange } from '../key-change.ts';
import { lastUseOf, Overlap, useOverlap } from './overlap.tsx';
import { ChangedNotice, defaultOverlapSeconds, EndsAtOnce, isChanged, OverlapSelect } from './replacement-parts.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
  readonly shown: boolean;
}

interface RotationRequest {
  /** The revision of the key that the user saw. */
  readonly revision: string;
  readonly overlapSeconds: number;
}

/** Rotates the secret. The user chooses an overlap, saves the new secret, and can end the previous secret early. */
export function Rotation({ apiKey, editable, shown }: Props) {
  const { id } = apiKey;
  // Without the revision, a second user who rotates at the same time would end the first user's new secret.
  const rotate = useKeyChange(
    async ({ revision, overlapSeconds }: RotationRequest) =>
      (await execute(RotateKeyDocument, { id, overlapSeconds, ifRevision: [revision] })).rotateKey,
  );
  const overlap = useOverlap(apiKey, shown);
  const { data, error, isPending } = rotate;
  return (
    <Stack>
      {isPending && <IssuingGuard />}
      {data !== undefined && (
        <SecretOnce
          key={data.secret}
          title={`The new secret of “${apiKey.name}”`}
          kind="key"
          secret={data.secret}
          fileName={`${apiKey.prefix}.txt`}
          done={rotate.reset}
          doneLabel="Watch the previous secret"
        >
          <Text size="sm">Give it to the clients of the key.</Text>
          <CodeExamples apiKey={apiKey} />
        </SecretOnce>
      )}
      {data === undefined && editable && (
        <Start
          apiKey={apiKey}
          previousUsedAt={lastUseOf(overlap.data)}
          error={error}
          pending={isPending}
          rotate={rotate.submit}
          clearError={rotate.reset}
        />
      )}
      <Overlap apiKey={apiKey} editable={editable} overlap={overlap} />
    </Stack>
  );
}

interface StartProps {
  readonly apiKey: Key;
  readonly previousUsedAt: string | null;
  readonly error: unknown;
  readonly pending: boolean;
  readonly rotate: (request: RotationRequest) => void;
  readonly clearError: () => void;
}

function Start({ apiKey, previousUsedAt, error, pending, rotate, clearError }: StartProps) {
  const { previousSecretExpiresAt, disabledAt } = apiKey;
  const [overlapSeconds, setOverlapSeconds] = useState(defaultOverlapSeconds);
  const [toConfirm, setToConfirm] = useState<RotationRequest | null>(null);
  const isOver = useIsPast(previousSecretExpiresAt);
  const endsAnother = previousSecretExpiresAt !== null && !isOver;
  const endsAtOnce = overlapSeconds === 0;
  const needsConfirmation = endsAnother || endsAtOnce;
  // Closes the dialog after a change by another session, so that the user sees the page behind the dialog.
  const isDialogOpen = toConfirm !== null && !isChanged(error);
  const start = () => {
    const request = { revision: apiKey.revision, overlapSeconds };
    setToConfirm(needsConfirmation ? request : null);
    if (needsConfirmation) clearError();
    else rotate(request);
  };
  const close = () => {
    setToConfirm(null);
    clearError();
  };
  return (
    <Section title="Replace the secret">
      <Text size="sm">
        The key keeps its id, settings and history. Clients get the new secret from you; until the overlap ends, both
        secrets are accepted.
      </Text>
      <OverlapSelect what="secret" value={overlapSeconds} change={setOverlapSeconds} />
      {endsAnother && <EndsAnother apiKey={apiKey} previousUsedAt={previousUsedAt} />}
      {disabledAt !== null && <Text size="sm">A disabled key can’t be rotated. Enable it first.</Text>}
      <Actions error={isDialogOpen ? null : error} notice={isChanged(error) && <ChangedNotice />}>
        <FocusableButton loading={pending} disabled={disabledAt !== null} onClick={start}>
          {needsConfirmation ? 'Rotate…' : 'Rotate'}
        </FocusableButton>
      </Actions>
      <ConfirmDialog
        opened={isDialogOpen}
        close={close}
        title={endsAtOnce ? 'Rotate without an overlap?' : 'Rotate during the overlap?'}
        confirm={() => toConfirm !== null && rotate(toConfirm)}
        confirmLabel={endsAtOnce ? 'Rotate without an overlap' : 'Rotate and end the previous secret'}
        color="red"
        pending={pending}
        error={error}
      >
        {endsAtOnce && <EndsAtOnce what="secret" />}
        {endsAnother && <EndsAnother apiKey={apiKey} previousUsedAt={previousUsedAt} />}
      </ConfirmDialog>
    </Section>
  );
}

/** Warns that the rotation ends the previous secret, because a key has at most two secrets. */
function EndsAnother({ apiKey, previousUsedAt }: Pick<StartProps, 'apiKey' | 'previousUsedAt'>) {
  return (
    <Alert color="yellow" role="status">
      The overlap of the last rotation has not ended. If you rotate now, requests with the previous secret{' '}
      {apiKey.previousPrefix} are rejected at once.
      {previousUsedAt !== null && (
        <>
          {' '}
          It was last used <Moment at={previousUsedAt} />.
        </>
      )}
    </Alert>
  );
}
