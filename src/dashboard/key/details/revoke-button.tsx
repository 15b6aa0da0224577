import { Button, Code, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { revokeKey } from '../../api/operations.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FocusableButton } from '../../components/focusable-button.tsx';
import { Form } from '../../components/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { type Key, useKeyChange } from '../key-change.ts';

/** Revokes the key after the user has typed its prefix, because it can't be undone. */
export function RevokeButton({ apiKey }: { readonly apiKey: Key }) {
  const { id, prefix, lastUsedAt } = apiKey;
  const [isConfirming, setConfirming] = useState(false);
  const [typed, setTyped] = useState('');
  const revoke = useKeyChange(async () => (await execute(revokeKey, { id })).revokeKey);
  const close = () => {
    setConfirming(false);
    setTyped('');
    revoke.reset();
  };
  const submit = () => {
    if (typed.trim() === prefix) revoke.submit();
  };
  return (
    <Section title="Revoke">
      <Text size="sm">A revoked key is rejected immediately on every instance. It can’t be restored.</Text>
      <Group>
        <Button color="red" onClick={() => setConfirming(true)}>
          Revoke…
        </Button>
      </Group>
      <Dialog opened={isConfirming} close={revoke.isPending ? undefined : close} title="Revoke this key permanently?">
        <Form
          submit={submit}
          error={revoke.error}
          justify="flex-end"
          actions={
            <>
              <Button variant="default" disabled={revoke.isPending} onClick={close}>
                Cancel
              </Button>
              <FocusableButton type="submit" color="red" disabled={typed.trim() !== prefix} loading={revoke.isPending}>
                Revoke permanently
              </FocusableButton>
            </>
          }
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
        </Form>
      </Dialog>
    </Section>
  );
}
