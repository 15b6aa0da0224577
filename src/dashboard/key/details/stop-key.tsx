/** Disables a key, which can be undone, or revokes it forever. */
import { Button, Code, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { limits } from '../../../domain/limits.ts';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Form, problemOf } from '../../components/form/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { DisableKeyDocument, EnableKeyDocument, RevokeKeyDocument } from '../../generated/graphql.ts';
import { type Key, useKeyChange } from '../key-change.ts';

export function Disable({ apiKey: { id, disabledAt } }: { readonly apiKey: Key }) {
  const [reason, setReason] = useState('');
  const isDisabled = disabledAt !== null;
  const change = useKeyChange(async () => {
    const variables = { id, reason: reason.trim() || null };
    if (isDisabled) return (await execute(EnableKeyDocument, variables)).enableKey;
    return (await execute(DisableKeyDocument, variables)).disableKey;
  });
  return (
    <Section title={isDisabled ? 'Enable' : 'Disable'}>
      <Text size="sm">
        {isDisabled ? (
          <>
            Disabled <Moment at={disabledAt} />. Requests with the key are rejected until it is enabled.
          </>
        ) : (
          'A disabled key is rejected immediately on every instance, until it is enabled again.'
        )}
      </Text>
      <Form
        submit={() => change.submit(undefined, { onSuccess: () => setReason('') })}
        error={change.error}
        fields={['reason']}
        actions={
          <FocusableButton type="submit" variant={isDisabled ? 'filled' : 'default'} loading={change.isPending}>
            {isDisabled ? 'Enable' : 'Disable'}
          </FocusableButton>
        }
      >
        <TextInput
          label="Reason"
          description="For the history. Optional."
          maxLength={limits.reasonCharacters}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          error={problemOf(change.error, 'reason')}
        />
      </Form>
    </Section>
  );
}

/** Revokes the key after the user has typed its prefix, because a revocation can't be undone. */
export function Revoke({ apiKey }: { readonly apiKey: Key }) {
  const { id, prefix, lastUsedAt } = apiKey;
  const [isConfirming, setConfirming] = useState(false);
  const [typed, setTyped] = useState('');
  const revoke = useKeyChange(async () => (await execute(RevokeKeyDocument, { id })).revokeKey);
  const close = () => {
    setConfirming(false);
    setTyped('');
    revoke.reset();
  };
  return (
    <Section title="Revoke">
      <Text size="sm">A revoked key is rejected immediately on every instance. It can’t be restored.</Text>
      <Group>
        <Button color="red" onClick={() => setConfirming(true)}>
          Revoke…
        </Button>
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        close={close}
        title="Revoke this key permanently?"
        confirm={() => revoke.submit()}
        confirmLabel="Revoke permanently"
        color="red"
        disabled={typed.trim() !== prefix}
        pending={revoke.isPending}
        error={revoke.error}
      >
        <Text>
          {lastUsedAt == null ? (
            'It has never been used.'
          ) : (
            <>
              It was last used <Moment at={lastUsedAt} />. Clients that still use it will be rejected.
            </>
          )}
        </Text>
        <TextInput
          data-autofocus
          label={
            <>
              To continue, type the prefix <Code>{prefix}</Code>
            </>
          }
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </ConfirmDialog>
    </Section>
  );
}
