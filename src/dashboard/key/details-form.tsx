import { Button, Group, NativeSelect, NumberInput, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { limits } from '../../domain/limits.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { ExpiryInput } from '../components/expiry-input.tsx';
import { Section } from '../components/section.tsx';
import { type DetailsDraft, detailsForm, metadataIn } from './details-draft.ts';
import { isElsewhere, problemOf } from './field-problems.ts';
import type { Key } from './key-change.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { scopesIn } from './scopes.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { useEdit } from './use-edit.ts';

interface FieldsProps {
  readonly draft: DetailsDraft;
  readonly change: (fields: Partial<DetailsDraft>) => void;
  readonly error: unknown;
}

const shownFields = ['name', 'expiresAt', 'scopes', 'externalId', 'tags', 'metadata', 'rateLimit'];

/** Everything about a key that can be edited, except its allowed sources. */
export function DetailsForm({ apiKey }: { readonly apiKey: Key }) {
  const edit = useEdit(apiKey, detailsForm);
  const { draft, error, isDirty } = edit;
  const isNameless = draft.name.trim() === '';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isNameless) edit.save();
  };
  return (
    <Section title="Details">
      <form onSubmit={save} noValidate>
        <Stack gap="sm">
          {isElsewhere(error, shownFields) && <ErrorNotice error={error} />}
          <TextInput
            label="Name"
            maxLength={limits.nameCharacters}
            value={draft.name}
            onChange={({ currentTarget }) => edit.change({ name: currentTarget.value })}
            error={isNameless ? 'A key needs a name.' : problemOf(error, 'name')}
          />
          <ExpiryInput
            // A new component for each state of the key, because it keeps the chosen preset.
            key={edit.base.revision}
            value={draft.expiresAt}
            onChange={(expiresAt) => edit.change({ expiresAt })}
            error={problemOf(error, 'expiresAt')}
          />
          <Restrictions draft={draft} change={edit.change} error={error} />
          <Labels draft={draft} change={edit.change} error={error} />
          <Group>
            <Button type="submit" loading={edit.isSaving} disabled={!isDirty || isNameless || edit.input === null}>
              Save details
            </Button>
            {edit.isSaved && (
              <Text size="sm" role="status">
                Saved
              </Text>
            )}
          </Group>
        </Stack>
      </form>
      {isDirty && <UnsavedGuard />}
      <MergeDialog conflict={edit.conflict} saving={edit.isSaving} resolve={edit.resolve} close={edit.closeConflict} />
    </Section>
  );
}

const windows = [
  { value: '1', label: 'second' },
  { value: '60', label: 'minute' },
  { value: '3600', label: 'hour' },
  { value: '86400', label: 'day' },
];

function Restrictions({ draft, change, error }: FieldsProps) {
  const seconds = String(draft.windowSeconds);
  const isListed = windows.some(({ value }) => value === seconds);
  return (
    <>
      <TagsInput
        label="Scopes"
        description="What the key can be used for, in the words of your API. Press Enter after each."
        value={[...draft.scopes]}
        onChange={(scopes) => change({ scopes: scopesIn(scopes) })}
        splitChars={[' ']}
        maxTags={limits.scopes}
        error={problemOf(error, 'scopes')}
      />
      <Group align="end" gap="xs">
        <NumberInput
          label="Rate limit"
          description="Accepted requests; empty: no limit"
          min={1}
          max={limits.rateLimit}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          value={draft.limit}
          onChange={(limit) => change({ limit })}
          error={problemOf(error, 'rateLimit')}
        />
        <NativeSelect
          label="in each"
          data={isListed ? windows : [...windows, { value: seconds, label: `${seconds} seconds` }]}
          value={seconds}
          onChange={({ currentTarget }) => change({ windowSeconds: Number(currentTarget.value) })}
        />
      </Group>
    </>
  );
}

function Labels({ draft, change, error }: FieldsProps) {
  const isBadJson = metadataIn(draft.metadata) === undefined;
  return (
    <>
      <TextInput
        label="External ID"
        description="The customer or service that the key belongs to."
        maxLength={limits.externalIdCharacters}
        value={draft.externalId}
        onChange={({ currentTarget }) => change({ externalId: currentTarget.value })}
        error={problemOf(error, 'externalId')}
      />
      <TagsInput
        label="Tags"
        description="Labels by which keys are filtered. Press Enter after each."
        value={[...draft.tags]}
        onChange={(tags) => change({ tags })}
        maxTags={limits.tags}
        error={problemOf(error, 'tags')}
      />
      <Textarea
        classNames={{ input: 'code' }}
        label="Metadata"
        description="A JSON object that is part of every verdict on the key. Not for secrets."
        placeholder={'{ "plan": "pro" }'}
        autosize
        maxRows={12}
        spellCheck={false}
        value={draft.metadata}
        onChange={({ currentTarget }) => change({ metadata: currentTarget.value })}
        error={isBadJson ? 'It must be a JSON object.' : problemOf(error, 'metadata')}
      />
    </>
  );
}
