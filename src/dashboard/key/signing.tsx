import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FocusableButton } from '../components/focusable-button.tsx';
import { IssuingGuard } from '../components/issuing-guard.tsx';
import { Moment } from '../components/moment.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Section } from '../components/section.tsx';
import { ChangedNotice, isChanged } from './changed-notice.tsx';
import { useIsPast } from './is-past.ts';
import type { Key } from './key-change.ts';
import { defaultOverlapSeconds, OverlapSelect } from './overlap-select.tsx';
import { type Step, useSigningChange } from './signing-change.ts';
import { SigningExamples } from './signing-examples.tsx';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
  /** Loads the key again. */
  readonly reload: () => unknown;
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

/** Enables, rotates and disables the request signing of a key. */
export function Signing({ apiKey, editable, reload }: Props) {
  const { id, revision, signingEnabled } = apiKey;
  const [asked, setAsked] = useState<{ readonly step: Step; readonly revision: string }>({ step: 'enable', revision });
  const [asking, setAsking] = useState(false);
  const [overlapSeconds, setOverlapSeconds] = useState(defaultOverlapSeconds);
  const change = useSigningChange(id);
  const { error, isPending } = change;
  const secret = change.data?.signingSecret ?? null;
  const close = () => setAsking(false);
  const ask = (step: Step) => {
    setAsked({ step, revision });
    setAsking(true);
  };
  return (
    <Section title="Request signing">
      {isPending && asked.step !== 'disable' && <IssuingGuard />}
      <Text size="sm">
        {signingEnabled ? 'Requests with this key must be signed.' : 'Requests with this key need no signature.'}
      </Text>
      <PreviousSecret until={apiKey.previousSigningSecretExpiresAt} />
      {isChanged(error) && <ChangedNotice />}
      {error !== null && !isChanged(error) && <ErrorNotice error={error} />}
      {secret !== null && (
        <SecretOnce
          // A new component for each secret, so that the warning is shown again.
          key={secret}
          title="The signing secret"
          kind="signing"
          secret={secret}
          fileName={`${apiKey.prefix}-signing.txt`}
          done={change.reset}
          doneLabel="Done"
        >
          <SigningExamples keyId={apiKey.id} />
        </SecretOnce>
      )}
      {signingEnabled && secret === null && <SigningExamples keyId={apiKey.id} />}
      {editable && secret === null && (
        <Group>
          {signingEnabled ? (
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
      <Dialog opened={asking} close={isPending ? undefined : close} title={steps[asked.step].title}>
        <Confirmation
          step={asked.step}
          endsAt={apiKey.previousSigningSecretExpiresAt}
          overlapSeconds={overlapSeconds}
          setOverlapSeconds={setOverlapSeconds}
          pending={isPending}
          cancel={close}
          // Also after an error: a call without an answer may have made the change.
          confirm={() => change.mutate({ ...asked, overlapSeconds }, { onError: reload, onSettled: close })}
        />
      </Dialog>
    </Section>
  );
}

interface ConfirmationProps {
  readonly step: Step;
  /** The end of the overlap of an earlier rotation. */
  readonly endsAt: string | null;
  readonly overlapSeconds: number;
  readonly setOverlapSeconds: (seconds: number) => void;
  readonly pending: boolean;
  readonly cancel: () => void;
  readonly confirm: () => void;
}

function Confirmation(props: ConfirmationProps) {
  const { step, endsAt, overlapSeconds, setOverlapSeconds, pending, cancel, confirm } = props;
  const isOver = useIsPast(endsAt);
  return (
    <Stack gap="sm">
      <Text>{steps[step].text}</Text>
      {step === 'rotate' && <OverlapSelect what="signing secret" value={overlapSeconds} change={setOverlapSeconds} />}
      {step === 'rotate' && endsAt !== null && !isOver && (
        <Alert color="yellow" role="status">
          The overlap of the last rotation has not ended. If you rotate now, signatures made with the previous signing
          secret are rejected at once.
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus disabled={pending} onClick={cancel}>
          Cancel
        </Button>
        <FocusableButton loading={pending} onClick={confirm}>
          {steps[step].label}
        </FocusableButton>
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
