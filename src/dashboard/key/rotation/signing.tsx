import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Section } from '../../components/section.tsx';
import { EnableSigningDocument } from '../../generated/graphql.ts';
import { SigningExamples } from '../../secrets/code-examples.tsx';
import { IssuingGuard, SecretOnce } from '../../secrets/secret-once.tsx';
import { type PartProps, useKeyChange } from '../key-change.ts';
import { useTab } from '../key-tab.ts';

/** Whether requests must be signed. Rotation replaces the signing secret. */
export function Signing({ apiKey, editable, ask }: PartProps) {
  const { id, prefix, signingEnabled } = apiKey;
  const { show } = useTab();
  const [asks, { open, close }] = useDisclosure();
  const enable = useKeyChange(async () => (await execute(EnableSigningDocument, { id })).enableSigning);
  const { data, isPending, error, reset } = enable;
  const end = () => {
    close();
    reset();
  };
  return (
    <Section title="Request signing">
      {isPending && <IssuingGuard />}
      <Text size="sm">
        {signingEnabled ? 'Requests with this key must be signed.' : 'Requests with this key need no signature.'}
      </Text>
      {data !== undefined && (
        <SecretOnce
          // `key` resets the component for each secret, so that it warns again.
          key={data.signingSecret}
          title="The signing secret"
          kind="signing"
          secret={data.signingSecret}
          fileName={`${prefix}-signing.txt`}
          done={reset}
          doneLabel="Done"
        >
          <SigningExamples keyId={id} />
        </SecretOnce>
      )}
      {signingEnabled && data === undefined && <SigningExamples keyId={id} />}
      {editable && data === undefined && (
        <Group>
          {signingEnabled ? (
            <>
              <Button variant="default" onClick={() => show('rotation')}>
                Replace the signing secret
              </Button>
              <Button variant="default" onClick={() => ask('disableSigning')}>
                Disable signing
              </Button>
            </>
          ) : (
            <Button variant="default" onClick={open}>
              Enable signing
            </Button>
          )}
        </Group>
      )}
      <ConfirmDialog
        opened={asks}
        close={end}
        title="Require signed requests?"
        confirm={() => enable.submit(undefined, { onSuccess: close })}
        confirmLabel="Enable signing"
        pending={isPending}
        error={error}
      >
        <Text>From now on, unsigned requests with the key are rejected.</Text>
      </ConfirmDialog>
    </Section>
  );
}
