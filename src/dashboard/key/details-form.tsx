import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { updateKey } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { ExpiryInput } from '../components/expiry-input.tsx';
import { Section } from '../components/section.tsx';
import type { UpdateKeyInput } from '../generated/graphql.ts';
import { type Key, useKeyChange } from './key-change.ts';

/** Name and expiry. */
export function DetailsForm({ apiKey }: { readonly apiKey: Key }) {
  const form = useForm({
    initialValues: { name: apiKey.name, expiresAt: apiKey.expiresAt == null ? null : new Date(apiKey.expiresAt) },
    validate: { name: (name) => (name.trim() === '' ? 'A key needs a name.' : null) },
  });
  const update = useKeyChange(
    async (input: UpdateKeyInput) => (await execute(updateKey, { id: apiKey.id, input })).updateKey,
  );
  const problems = update.error instanceof ApiError ? update.error.fields : [];
  const problemOf = (field: string) => problems.find((problem) => problem.field.endsWith(field))?.message;
  // Sends only the changed fields, so that concurrent changes of other fields are kept.
  const save = ({ name, expiresAt }: typeof form.values) => {
    const input: UpdateKeyInput = {};
    if (form.isDirty('name')) input.name = name;
    if (form.isDirty('expiresAt')) input.expiresAt = expiresAt?.toISOString() ?? null;
    update.mutate(input, { onSuccess: () => form.resetDirty() });
  };
  return (
    <Section title="Details">
      <form onSubmit={form.onSubmit(save)} noValidate>
        <Stack gap="sm">
          {update.error !== null && problems.length === 0 && <ErrorNotice error={update.error} />}
          <TextInput
            label="Name"
            maxLength={100}
            {...form.getInputProps('name')}
            error={form.errors.name ?? problemOf('name')}
          />
          <ExpiryInput
            value={form.values.expiresAt}
            onChange={(at) => form.setFieldValue('expiresAt', at)}
            error={problemOf('expiresAt')}
          />
          <Group>
            <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
              Save details
            </Button>
            {update.isSuccess && !form.isDirty() && (
              <Text size="sm" role="status">
                Saved
              </Text>
            )}
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
