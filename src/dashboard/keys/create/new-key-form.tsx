import { Checkbox, Fieldset, Group, NativeSelect, Radio, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type SettingName, settingNames } from '../../../domain/key/settings.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Form } from '../../components/form/form.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { Section } from '../../components/section.tsx';
import type { KeyEnv } from '../../generated/graphql.ts';
import { defaultExpiry } from '../../key-settings/expiry.ts';
import { formOrder, isSame, pick, problemsOf } from '../../key-settings/key-draft.ts';
import { type KeyDraft, settingFields } from '../../key-settings/setting-fields.ts';
import { SettingInputs } from '../../key-settings/setting-inputs.tsx';
import { useListLink } from '../filter/key-query.ts';
import { changeTemplate, type NewKeyDraft, type Start, templates } from './new-key.ts';

interface Props {
  readonly teamId: string;
  readonly start: Start;
  readonly error: unknown;
  readonly notice: ReactNode;
  readonly pending: boolean;
  readonly create: (draft: NewKeyDraft) => void;
}

const restrictions = formOrder.filter((name) => settingFields[name].section === 'restrictions');
const labels = formOrder.filter((name) => settingFields[name].section === 'labels');
const checkedEarly = formOrder.filter((name) => settingFields[name].isCheckedEarly);

export function NewKeyForm({ teamId, start, error, notice, pending, create }: Props) {
  const [draft, setDraft] = useState(start.draft);
  const [template, setTemplate] = useState(start.template);
  const [hasExpiry, setHasExpiry] = useState(start.hasExpiry);
  const [submitted, setSubmitted] = useState(false);
  const listLink = useListLink(teamId);
  const problems = problemsOf(draft);
  const change = <S extends SettingName>(setting: S, value: KeyDraft[S]) => {
    if (setting === 'expiresAt') setHasExpiry(true);
    setDraft((now) => ({ ...now, [setting]: value }));
  };
  const chooseTemplate = (id: string) => {
    setDraft(changeTemplate(draft, start.origin(), template, id));
    setTemplate(id);
    setHasExpiry(id !== '' || start.isDuplicate);
  };
  const chooseEnv = (env: KeyEnv) =>
    setDraft({ ...draft, env, ...(hasExpiry ? {} : { expiresAt: defaultExpiry(env) }) });
  const submit = () => {
    setSubmitted(true);
    if (settingNames.every((name) => problems[name] === null)) create(draft);
  };
  const inputs = { draft, change, error, problems: submitted ? problems : pick(problems, checkedEarly), isNew: true };
  return (
    <Form
      submit={submit}
      error={error}
      notice={notice}
      fields={settingNames}
      actions={
        <>
          <FocusableButton type="submit" loading={pending}>
            Create
          </FocusableButton>
          <ButtonLink variant="default" {...listLink}>
            Cancel
          </ButtonLink>
        </>
      }
    >
      {/* Disabled while the key is created, which would lack what is entered meanwhile. */}
      <Fieldset variant="unstyled" disabled={pending}>
        <Stack>
          <Section title="Key">
            <NativeSelect
              label="Start from"
              data={[
                { value: '', label: start.isDuplicate ? 'The duplicated key' : 'An empty form' },
                ...templates.map(({ id, label }) => ({ value: id, label })),
              ]}
              value={template}
              onChange={({ currentTarget }) => chooseTemplate(currentTarget.value)}
            />
            <SettingInputs settings={['name']} {...inputs} />
            <Radio.Group
              label="Environment"
              description="It never changes."
              value={draft.env}
              onChange={(env) => chooseEnv(env === 'test' ? 'test' : 'live')}
            >
              <Group mt="xs">
                <Radio value="live" label="live" />
                <Radio value="test" label="test" />
              </Group>
            </Radio.Group>
            <SettingInputs settings={['expiresAt']} {...inputs} />
          </Section>
          <Section title="Restrictions">
            <SettingInputs settings={restrictions} {...inputs} />
            <Checkbox
              label="Require signed requests"
              description="The signing secret is shown once, after the secret of the key."
              checked={draft.signing}
              onChange={({ currentTarget }) => setDraft({ ...draft, signing: currentTarget.checked })}
            />
          </Section>
          <Section title="Owner and labels">
            <SettingInputs settings={labels} {...inputs} />
          </Section>
        </Stack>
      </Fieldset>
      {!isSame(draft, start.draft) && (
        <LeaveGuard title="Leave without creating the key?" text="What you entered will be lost." />
      )}
    </Form>
  );
}
