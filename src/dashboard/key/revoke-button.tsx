import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { execute } from '../api/execute.ts';
import { revokeKey } from '../api/operations.ts';
import { Dialog } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/section.tsx';
import { type Key, useKeyChange } from './key-change.ts';

/** Revoking is for good, so that it asks for the prefix first. */
export function RevokeButton({ apiKey }: { readonly apiKey: Key }) {
  const { id, prefix, lastUsedAt } = apiKey;
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const revoke = useKeyChange(async () => (await execute(revokeKey, { id })).revokeKey);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === prefix) revoke.mutate(undefined);
  };
  return (
    <Section title="Revoke">
      <Text size="sm">A revoked key is refused at once, everywhere, and can never be brought back.</Text>
      <Group>
        <Button color="red" onClick={() => setAsking(true)}>
          Revoke…
        </Button>
      </Group>
      <Dialog opened={asking} close={() => setAsking(false)} title="Revoke this key for good?">
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Text>
              {lastUsedAt == null ? (
                'It has never been used.'
              ) : (
                <>
                  It was last used <Moment at={lastUsedAt} />. Whoever still uses it is refused from now on.
                </>
              )}
            </Text>
            {revoke.error !== null && <ErrorNotice error={revoke.error} />}
            <TextInput
              data-autofocus
              label={
                <>
                  To go on, type the prefix <Code>{prefix}</Code>
                </>
              }
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsking(false)}>
                Cancel
              </Button>
              <Button type="submit" color="red" disabled={typed.trim() !== prefix} loading={revoke.isPending}>
                Revoke for good
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </Section>
  );
}
