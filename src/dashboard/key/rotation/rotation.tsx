import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Section } from '../../components/section.tsx';
import { RotateKeyDocument } from '../../generated/graphql.ts';
import { CodeExamples } from '../../secrets/code-examples.tsx';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { type Key, type PartProps, useKeyChange } from '../key-change.ts';
import { lastUseOf, Overlap, useOverlap } from './overlap.tsx';
import {
  defaultOverlapSeconds,
  EndsAtOnce,
  EndsPrevious,
  OverlapSelect,
  useAcceptedUntil,
  useConfirmation,
} from './replacement-parts.tsx';

interface Props extends Pick<PartProps, 'apiKey' | 'editable'> {
  readonly shown: boolean;
}

/** Rotates the secret. The user chooses an overlap, saves the new secret, and can end the previous secret early. */
export function Rotation({ apiKey, editable, shown }: Props) {
  const rotate = useRotation(apiKey);
  const overlap = useOverlap(apiKey, shown);
  const { data, isPending, reset } = rotate;
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
          done={reset}
          doneLabel="Watch the previous secret"
        >
          <Text size="sm">Give it to the clients of the key.</Text>
          <CodeExamples apiKey={apiKey} />
        </SecretOnce>
      )}
      {data === undefined && editable && (
        <Start apiKey={apiKey} previousUsedAt={lastUseOf(overlap.data)} rotate={rotate} />
      )}
      <Overlap apiKey={apiKey} editable={editable} overlap={overlap} />
    </Stack>
  );
}

interface RotationRequest {
  /** The revision that the user saw. Otherwise a second user who rotates would end the first user's new secret. */
  readonly revision: string;
  readonly overlapSeconds: number;
}

function useRotation({ id }: Key) {
  return useKeyChange(
    async ({ revision, overlapSeconds }: RotationRequest) =>
      (await execute(RotateKeyDocument, { id, overlapSeconds, ifRevision: [revision] })).rotateKey,
  );
}

interface StartProps {
  readonly apiKey: Key;
  readonly previousUsedAt: string | null;
  readonly rotate: ReturnType<typeof useRotation>;
}

function Start({ apiKey, previousUsedAt, rotate }: StartProps) {
  const { revision, previousPrefix, previousSecretExpiresAt, disabledAt } = apiKey;
  const [request, setRequest] = useState<RotationRequest>({ revision, overlapSeconds: defaultOverlapSeconds });
  const { ask, hide, dialog, notice } = useConfirmation(rotate);
  const endsAtOnce = request.overlapSeconds === 0;
  const endsAnother = useAcceptedUntil(previousSecretExpiresAt) !== null;
  const needsConfirmation = endsAnother || endsAtOnce;
  const warning = endsAnother && (
    <EndsPrevious requests={`requests with the previous secret ${previousPrefix}`} lastUsedAt={previousUsedAt} />
  );
  const start = () => {
    const current = { ...request, revision };
    setRequest(current);
    if (needsConfirmation) return ask();
    // A dialog that a change by another session closed would open again.
    hide();
    rotate.submit(current);
  };
  return (
    <Section title="Replace the secret">
      <Text size="sm">
        The key keeps its id, settings and history. Clients get the new secret from you; until the overlap ends, both
        secrets are accepted.
      </Text>
      <OverlapSelect
        what="secret"
        value={request.overlapSeconds}
        change={(overlapSeconds) => setRequest({ ...request, overlapSeconds })}
      />
      {warning}
      {disabledAt !== null && <Text size="sm">A disabled key can’t be rotated. Enable it first.</Text>}
      <Actions error={dialog.opened ? null : rotate.error} notice={notice}>
        <FocusableButton loading={rotate.isPending} disabled={disabledAt !== null} onClick={start}>
          {needsConfirmation ? 'Rotate…' : 'Rotate'}
        </FocusableButton>
      </Actions>
      <ConfirmDialog
        {...dialog}
        title={endsAtOnce ? 'Rotate without an overlap?' : 'Rotate during the overlap?'}
        confirm={() => rotate.submit(request)}
        confirmLabel={endsAtOnce ? 'Rotate without an overlap' : 'Rotate and end the previous secret'}
        color="red"
      >
        {endsAtOnce && <EndsAtOnce what="secret" />}
        {warning}
      </ConfirmDialog>
    </Section>
  );
}
