import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Section } from '../../components/section.tsx';
import { EnableSigningDocument } from '../../generated/graphql.ts';
import { useRules } from '../../policy/policy.ts';
import { PolicyNotice } from '../../policy/policy-notice.tsx';
import { SigningExamples } from '../../secrets/code-examples.tsx';
import { type PartProps, useKeyChange } from '../key-change.ts';
import { useTab } from '../key-tab.ts';
import { IssuedSecret } from './replacement.tsx';

/** Whether requests must be signed. The tab Rotation replaces the signing secret. */
export function Signing({ apiKey, editable, ask }: PartProps) {
  const { id, env, signingEnabled } = apiKey;
  const rules = useRules(apiKey.teamId, env);
  const { show } = useTab();
  const [asks, { open, close }] = useDisclosure();
  const { submit, ...enable } = useKeyChange(async () => {
    const { apiKey, signingSecret } = (await execute(EnableSigningDocument, { id })).enableSigning;
    return { apiKey, secret: signingSecret };
  });
  const cancel = () => {
    close();
    enable.reset();
  };
  return (
    <Section title="Request signing">
      <Text size="sm">
        {signingEnabled ? 'Requests with this key must be signed.' : 'Requests with this key need no signature.'}
      </Text>
      {editable && <PolicyNotice env={env} rules={rules} about={['signing']} />}
      <IssuedSecret apiKey={apiKey} kind="signing" doneLabel="Done" {...enable} />
      {enable.data === undefined && signingEnabled && <SigningExamples keyId={id} />}
      {enable.data === undefined && editable && (
        <Group>
          {signingEnabled ? (
            <>
              <Button variant="default" onClick={() => show('rotation')}>
                Replace the signing secret
              </Button>
              {rules?.requireSigning !== true && (
                <Button variant="default" onClick={() => ask('disableSigning')}>
                  Disable signing
                </Button>
              )}
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
        close={cancel}
        title="Require signed requests?"
        confirm={() => submit(undefined, { onSuccess: close })}
        confirmLabel="Enable signing"
        pending={enable.isPending}
        error={enable.error}
      >
        <Text>From now on, unsigned requests with the key are rejected.</Text>
      </ConfirmDialog>
    </Section>
  );
}
