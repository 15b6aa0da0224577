import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Form, UnsavedGuard } from '../../components/form/form.tsx';
import { Section } from '../../components/section.tsx';
import { formOrder } from '../../key-settings/key-draft.ts';
import { SettingInputs } from '../../key-settings/setting-inputs.tsx';
import type { Key } from '../key-change.ts';
import { MergeDialog, SavedStatus } from './edit-parts.tsx';
import { useEdit } from './use-edit.ts';

const settings = formOrder.filter((setting) => setting !== 'allowedIps');

export function DetailsForm({ apiKey }: { readonly apiKey: Key }) {
  const edit = useEdit(apiKey, settings);
  return (
    <Section title="Details">
      <Form
        submit={() => edit.save()}
        error={edit.error}
        fields={settings}
        actions={
          <>
            <FocusableButton type="submit" loading={edit.isSaving} disabled={!edit.isDirty}>
              Save details
            </FocusableButton>
            <SavedStatus isSaved={edit.isSaved} />
          </>
        }
      >
        <SettingInputs settings={settings} teamId={apiKey.teamId} {...edit} />
      </Form>
      {edit.isDirty && <UnsavedGuard />}
      <MergeDialog {...edit.merge} />
    </Section>
  );
}
