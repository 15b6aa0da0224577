import { Alert, NativeSelect, Paper, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { instantOf } from '../audit/trail-search.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Form } from '../components/form/form.tsx';
import { PillsInput } from '../components/form/pills-input.tsx';
import { useServerForm } from '../components/form/use-server-form.ts';
import { formatNumber } from '../components/format.ts';
import { Page } from '../components/page.tsx';
import { RequirePermission } from '../components/require-permission.tsx';
import {
  FreezeKeysDocument,
  type FreezeKeysInput,
  type FreezeKeysMutation,
  type KeyEnv,
} from '../generated/graphql.ts';
import { reloadFences } from './fences.ts';
import { SaveReceipt } from './save-receipt.tsx';

const width = 760;

type Frozen = FreezeKeysMutation['freezeKeys'];

const empty = {
  reason: '',
  env: '' as KeyEnv | '',
  tags: [] as readonly string[],
  externalId: '',
  responsible: '',
  createdBefore: '',
  until: '',
};
type Draft = typeof empty;

export function FreezePage() {
  const { teamId } = useParams({ from: '/teams/$teamId/freeze' });
  return (
    <RequirePermission permission="manage_keys" teamId={teamId}>
      <Page title="Freeze keys" width={width}>
        <Text size="sm">
          Freezes every key that meets the conditions, at once and everywhere, until the fence is lifted. The keys
          themselves are not changed. Keys that are created later are frozen too. Without conditions, all keys are, and
          the programs that manage them.
        </Text>
        <Freezing key={teamId} teamId={teamId} />
      </Page>
    </RequirePermission>
  );
}

function inputOf(teamId: string, draft: Draft, dryRun: boolean): FreezeKeysInput {
  const { reason, env, tags, externalId, responsible, createdBefore, until } = draft;
  return {
    teamId,
    reason,
    env: env === '' ? null : env,
    tags: tags.length === 0 ? null : [...tags],
    externalId: externalId === '' ? null : externalId,
    responsible: responsible === '' ? null : responsible,
    createdBefore: instantOf(createdBefore),
    until: instantOf(until),
    dryRun,
  };
}

/** First counts the keys, then asks. */
function Freezing({ teamId }: { readonly teamId: string }) {
  const [counted, setCounted] = useState<{ readonly draft: Draft; readonly frozen: Frozen } | null>(null);
  const form = useServerForm({
    initialValues: empty,
    send: async (draft) => (await execute(FreezeKeysDocument, { input: inputOf(teamId, draft, true) })).freezeKeys,
    onSent: (frozen, draft) => setCounted({ draft, frozen }),
  });
  const freeze = useSubmit({
    mutationFn: async (draft: Draft) =>
      (await execute(FreezeKeysDocument, { input: inputOf(teamId, draft, false) })).freezeKeys,
    onSuccess: async () => {
      setCounted(null);
      form.reset();
      await reloadFences();
    },
  });
  return (
    <>
      {freeze.data !== undefined && <Done frozen={freeze.data} />}
      <Form {...form.frame} submitLabel="Count the keys…">
        <Paper withBorder p="md">
          <Stack gap="sm">
            <TextInput
              label="Reason"
              description="Everyone of the team sees it while the fence is up."
              maxLength={limits.reasonCharacters}
              withAsterisk
              required
              data-autofocus
              {...form.getInputProps('reason')}
            />
            <Conditions form={form} />
          </Stack>
        </Paper>
      </Form>
      <ConfirmDialog
        opened={counted !== null}
        close={() => {
          setCounted(null);
          freeze.reset();
        }}
        title="Freeze these keys?"
        confirm={() => counted !== null && freeze.submit(counted.draft)}
        confirmLabel="Freeze"
        color="red"
        pending={freeze.isPending}
        error={freeze.error}
      >
        <Text size="sm">
          {counted !== null && countInWords(counted.frozen)} Requests with them get the verdict FROZEN from then on.
        </Text>
      </ConfirmDialog>
    </>
  );
}

function Conditions({ form: { getInputProps } }: { readonly form: ReturnType<typeof useServerForm<Draft, Frozen>> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
      <NativeSelect
        label="Environment"
        data={[
          { value: '', label: 'Both' },
          { value: 'live', label: 'live' },
          { value: 'test', label: 'test' },
        ]}
        {...getInputProps('env')}
      />
      <PillsInput kind="tags" label="Tags" description="Only keys with all of them." {...getInputProps('tags')} />
      <TextInput label="External ID" {...getInputProps('externalId')} />
      <TextInput label="Responsible" description="A person or team." {...getInputProps('responsible')} />
      <TextInput type="datetime-local" label="Created before" {...getInputProps('createdBefore')} />
      <TextInput
        type="datetime-local"
        label="Until"
        description="Empty: until it is lifted."
        {...getInputProps('until')}
      />
    </SimpleGrid>
  );
}

function countInWords({ keys, calls }: Frozen): string {
  const many = keys === 1 ? '1 key meets' : `${formatNumber(keys ?? 0)} keys meet`;
  return `${many} the conditions, and ${keys === 1 ? 'was' : 'were'} verified ${formatNumber(calls ?? 0)} times in this hour and the one before.`;
}

function Done({ frozen: { keys, revision } }: { readonly frozen: Frozen }) {
  const many = keys == null ? 'not counted' : keys === 1 ? '1 key' : `${formatNumber(keys)} keys`;
  return (
    <Alert color="green" role="status" title={`Frozen: ${many}`}>
      <Text size="sm">No verifier accepts them anymore. {revision != null && <SaveReceipt revision={revision} />}</Text>
    </Alert>
  );
}
