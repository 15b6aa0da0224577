import { Button, Code, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { RevokeKeyDocument } from '../../generated/graphql.ts';
import { type Key, useKeyChange } from '../key-change.ts';

/** Revokes the key after the user has typed its prefix, because it can't be undone. */
export function RevokeButton({ apiKey }: { readonly apiKey: Key }) {
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
