import { Button, Text } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import {
  DisableSigningDocument,
  EnableSigningDocument,
  OneKeyDocument,
  RotateSigningSecretDocument,
} from '../../generated/graphql.ts';
import { SigningExamples } from '../../secrets/code-examples.tsx';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { type Key, type PartProps, showKey, useKeyChange } from '../key-change.ts';
import {
  defaultOverlapSeconds,
  EndsPrevious,
  OverlapSelect,
  useAcceptedUntil,
  useConfirmation,
} from './replacement-parts.tsx';

type Step = 'enable' | 'rotate' | 'disable';

interface Chosen {
  readonly step: Step;
  /** The revision of the key that the user saw. */
  readonly revision: string;
}

const steps: Readonly<Record<Step, { readonly title: string; readonly text: string; readonly label: string }>> = {
  enable: {
    title: 'Require signed requests?',
    text: 'From now on, unsigned requests with the key are rejected.',
    label: 'Enable signing',
  },
  rotate: {
    title: 'Replace the signing secret?',
    text: 'You get a new signing secret. Signatures made with the current one are accepted until the overlap ends.',
    label: 'Rotate the secret',
  },
  disable: {
    title: 'Disable request signing?',
    text: 'From now on, anyone with the key can use it without a signature.',
    label: 'Disable signing',
  },
};

export function Signing({ apiKey, editable }: Pick<PartProps, 'apiKey' | 'editable'>) {
  const { id, revision, signingEnabled, previousSigningSecretExpiresAt } = apiKey;
  const [chosen, setChosen] = useState<Chosen>({ step: 'enable', revision });
  const [overlapSeconds, setOverlapSeconds] = useState(defaultOverlapSeconds);
  const change = useSigningChange(apiKey, overlapSeconds);
  const { ask, hide, dialog, notice } = useConfirmation(change);
  const previousUntil = useAcceptedUntil(previousSigningSecretExpiresAt);
  const secret = change.data?.signingSecret ?? null;
  const button = (step: Step) => (
    <Button
      variant="default"
      onClick={() => {
        setChosen({ step, revision });
        ask();
      }}
    >
      {steps[step].label}
    </Button>
  );
  return (
    <Section title="Request signing">
      {change.isPending && chosen.step !== 'disable' && <IssuingGuard />}
      <Text size="sm">
        {signingEnabled ? 'Requests with this key must be signed.' : 'Requests with this key need no signature.'}
      </Text>
      {previousUntil !== null && (
        <Text size="sm">
          The previous signing secret is accepted too. It ends <Moment at={previousUntil} />, or with “End the overlap”
          under Rotation.
        </Text>
      )}
      {secret !== null && (
        <SecretOnce
          // `key` resets the component for each secret, so that it warns again.
          key={secret}
          title="The signing secret"
          kind="signing"
          secret={secret}
          fileName={`${apiKey.prefix}-signing.txt`}
          done={change.reset}
          doneLabel="Done"
        >
          <SigningExamples keyId={id} />
        </SecretOnce>
      )}
      {signingEnabled && secret === null && <SigningExamples keyId={id} />}
      {editable && secret === null && (
        <Actions error={null} notice={notice}>
          {signingEnabled ? (
            <>
              {button('rotate')}
              {button('disable')}
            </>
          ) : (
            button('enable')
          )}
        </Actions>
      )}
      <ConfirmDialog
        {...dialog}
        title={steps[chosen.step].title}
        confirm={() => change.submit(chosen, { onSuccess: hide })}
        confirmLabel={steps[chosen.step].label}
      >
        <Text>{steps[chosen.step].text}</Text>
        {chosen.step === 'rotate' && (
          <OverlapSelect what="signing secret" value={overlapSeconds} change={setOverlapSeconds} />
        )}
        {chosen.step === 'rotate' && previousUntil !== null && (
          <EndsPrevious requests="signatures made with the previous signing secret" />
        )}
      </ConfirmDialog>
    </Section>
  );
}

interface Answer {
  readonly apiKey: Key;
  readonly signingSecret?: string;
}

function useSigningChange({ id }: Key, overlapSeconds: number) {
  const queries = useQueryClient();
  return useKeyChange(async ({ step, revision }: Chosen): Promise<Answer> => {
    if (step === 'enable') return (await execute(EnableSigningDocument, { id })).enableSigning;
    if (step === 'disable') return (await execute(DisableSigningDocument, { id })).disableSigning;
    await checkUnchanged(queries, id, revision);
    return (await execute(RotateSigningSecretDocument, { id, overlapSeconds })).rotateSigningSecret;
  });
}

/** Throws if the key has changed. The mutation has no `ifRevision`, and could replace another user's new secret. */
async function checkUnchanged(queries: QueryClient, id: string, revision: string): Promise<void> {
  const { key } = await execute(OneKeyDocument, { id });
  if (key.revision === revision) return;
  await showKey(queries, key);
  throw new ApiError('PRECONDITION_FAILED', 'Another session changed this key.', null);
}
