import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from '../api/operations.ts';
import { Dialog } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { IssuingGuard } from '../components/issuing-guard.tsx';
import { Moment } from '../components/moment.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Section } from '../components/section.tsx';
import { useIsPast } from './is-past.ts';
import { type Key, useKeyChange } from './key-change.ts';
import { OverlapSelect } from './overlap-select.tsx';
import { SigningExamples } from './signing-examples.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
}

type Step = 'enable' | 'rotate' | 'disable';

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

/** Enables, rotates and disables the request signing of a key. */
export function Signing({ apiKey, editable }: Props) {
  const [step, setStep] = useState<Step>('enable');
  const [asking, setAsking] = useState(false);
  const [overlapSeconds, setOverlapSeconds] = useState(0);
  const [secret, setSecret] = useState<string | null>(null);
  const change = useKeyChange(
    async (step: Step): Promise<{ readonly apiKey: Key; readonly signingSecret?: string }> => {
      const variables = { id: apiKey.id };
      if (step === 'enable') return (await execute(enableSigning, variables)).enableSigning;
      if (step === 'rotate')
        return (await execute(rotateSigningSecret, { ...variables, overlapSeconds })).rotateSigningSecret;
      return (await execute(disableSigning, variables)).disableSigning;
    },
  );
  const ask = (about: Step) => {
    setStep(about);
    setAsking(true);
  };
  const goOn = () =>
    change.mutate(step, {
      onSuccess: ({ signingSecret }) => setSecret(signingSecret ?? null),
      onSettled: () => setAsking(false),
    });
  return (
    <Section title="Request signing">
      {change.isPending && step !== 'disable' && <IssuingGuard />}
      <Text size="sm">
        {apiKey.signingEnabled ? 'Requests with this key must be signed.' : 'Requests with this key need no signature.'}
      </Text>
      <PreviousSecret until={apiKey.previousSigningSecretExpiresAt} />
      {change.error !== null && <ErrorNotice error={change.error} />}
      {secret !== null && (
        <SecretOnce
          // A new component for each secret, so that the warning is shown again.
          key={secret}
          title="The signing secret"
          secret={secret}
          fileName={`${apiKey.prefix}-signing.txt`}
          done={() => setSecret(null)}
          doneLabel="Done"
        >
          <SigningExamples keyId={apiKey.id} />
        </SecretOnce>
      )}
      {apiKey.signingEnabled && secret === null && <SigningExamples keyId={apiKey.id} />}
      {editable && secret === null && (
        <Group>
          {apiKey.signingEnabled ? (
            <>
              <Button onClick={() => ask('rotate')}>Rotate the secret</Button>
              <Button variant="default" onClick={() => ask('disable')}>
                Disable signing
              </Button>
            </>
          ) : (
            <Button onClick={() => ask('enable')}>Enable signing</Button>
          )}
        </Group>
      )}
      <Dialog opened={asking} close={() => setAsking(false)} title={steps[step].title}>
        <Confirmation
          step={step}
          overlapSeconds={overlapSeconds}
          setOverlapSeconds={setOverlapSeconds}
          pending={change.isPending}
          cancel={() => setAsking(false)}
          confirm={goOn}
        />
      </Dialog>
    </Section>
  );
}

interface ConfirmationProps {
  readonly step: Step;
  readonly overlapSeconds: number;
  readonly setOverlapSeconds: (seconds: number) => void;
  readonly pending: boolean;
  readonly cancel: () => void;
  readonly confirm: () => void;
}

function Confirmation({ step, overlapSeconds, setOverlapSeconds, pending, cancel, confirm }: ConfirmationProps) {
  return (
    <Stack gap="sm">
      <Text>{steps[step].text}</Text>
      {step === 'rotate' && (
        <OverlapSelect
          label="Accept the current signing secret for"
          value={overlapSeconds}
          change={setOverlapSeconds}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={cancel}>
          Cancel
        </Button>
        <Button loading={pending} onClick={confirm}>
          {steps[step].label}
        </Button>
      </Group>
    </Stack>
  );
}

function PreviousSecret({ until }: { readonly until: string | null }) {
  const isPast = useIsPast(until);
  if (until === null || isPast) return null;
  return (
    <Text size="sm">
      The previous signing secret is accepted too. It ends <Moment at={until} />, or with “End the overlap” under
      Rotate.
    </Text>
  );
}
