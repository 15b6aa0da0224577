import { Text, TextInput } from '@mantine/core';
import { limits } from '../../../domain/limits.ts';
import { problemOf } from '../../components/field-problems.ts';
import { FocusableButton } from '../../components/focusable-button.tsx';
import { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { ExpiryInput } from '../../key-settings/expiry-input.tsx';
import { LabelFields, LimitFields } from '../../key-settings/setting-fields.tsx';
import type { Key } from '../key-change.ts';
import { detailsForm } from './details-draft.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { useEdit } from './use-edit.ts';

const shownFields = ['name', 'expiresAt', 'scopes', 'externalId', 'tags', 'metadata', 'rateLimit'];

/** Everything about a key that can be edited, except its allowed sources. */
export function DetailsForm({ apiKey }: { readonly apiKey: Key }) {
  const edit = useEdit(apiKey, detailsForm);
  const { draft, error, isDirty } = edit;
  const isNameless = draft.name.trim() === '';
  const save = () => {
    if (!isNameless) edit.save();
  };
  return (
    <Section title="Details">
      <Form
        submit={save}
        error={error}
        fields={shownFields}
        actions={
          <>
            <FocusableButton type="submit" loading={edit.isSaving} disabled={!isDirty}>
              Save details
            </FocusableButton>
            {edit.isSaved && (
              <Text size="sm" role="status">
                Saved
              </Text>
            )}
          </>
        }
      >
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
        <LimitFields draft={draft} change={edit.change} error={error} />
        <LabelFields draft={draft} change={edit.change} error={error} />
      </Form>
      {isDirty && <UnsavedGuard />}
      <MergeDialog {...edit.merge} />
    </Section>
  );
}
