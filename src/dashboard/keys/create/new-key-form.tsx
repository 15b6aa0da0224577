import { Button, Checkbox, Fieldset, Group, NativeSelect, Paper, Radio, SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import type { SettingName } from '../../../domain/key/settings.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { Form } from '../../components/form/form.tsx';
import { useServerForm } from '../../components/form/use-server-form.ts';
import { ButtonLink } from '../../components/links.tsx';
import type { CreateKeyMutation, KeyEnv } from '../../generated/graphql.ts';
import { defaultExpiry } from '../../key-settings/expiry.ts';
import { formOrder, isSame, problemsOf } from '../../key-settings/key-draft.ts';
import { type KeyDraft, settingFields } from '../../key-settings/setting-fields.ts';
import { SettingInputs } from '../../key-settings/setting-inputs.tsx';
import { IssuingGuard } from '../../secrets/secret-once.tsx';
import { useListLink } from '../filter/key-query.ts';
import { CreatedDifferently, isReused } from './lost-key.tsx';
import { changeTemplate, type NewKeyDraft, type Start, templates } from './new-key.ts';

type Created = CreateKeyMutation['createKey'];

interface Props {
  readonly teamId: string;
  readonly start: Start;
  readonly send: (draft: NewKeyDraft) => Promise<Created>;
  readonly onSent: (created: Created) => void;
  readonly onFailed: (error: Error) => void;
}

const basic: readonly SettingName[] = ['name', 'expiresAt', 'scopes', 'tags'];
const more = formOrder.filter((name) => !basic.includes(name) && name !== 'allowedIps');
const hidden: readonly SettingName[] = ['allowedIps', ...more];
const checkedEarly = formOrder.filter((name) => settingFields[name].isCheckedEarly);

const setAmongHidden = (draft: NewKeyDraft) => hidden.filter((name) => !isSame(draft[name], settingFields[name].empty));

export function NewKeyForm({ teamId, start, send, onSent, onFailed }: Props) {
  const form = useServerForm<NewKeyDraft, Created>({
    initialValues: start.draft,
    validate: problemsOf,
    validateInputOnChange: checkedEarly,
    send,
    onSent,
    onFailed,
  });
  const { values: draft, errors, error, isPending } = form;
  const [template, setTemplate] = useState(start.template);
  const [hasExpiry, setHasExpiry] = useState(start.hasExpiry);
  const [isExpanded, setExpanded] = useState(setAmongHidden(draft).length > 0);
  const isOpen = isExpanded || hidden.some((name) => name in errors);
  const listLink = useListLink(teamId);
  const change = <S extends SettingName>(setting: S, value: KeyDraft[S]) => {
    if (setting === 'expiresAt') setHasExpiry(true);
    form.setFieldValue<NewKeyDraft, SettingName>(setting, value);
  };
  const chooseTemplate = (id: string) => {
    const next = changeTemplate(draft, start.origin(), template, id);
    form.setValues(next);
    setTemplate(id);
    setHasExpiry(id !== '' || start.isDuplicate);
    if (setAmongHidden(next).length > 0) setExpanded(true);
  };
  const chooseEnv = (env: KeyEnv) => form.setValues({ env, ...(hasExpiry ? {} : { expiresAt: defaultExpiry(env) }) });
  const inputs = { teamId, draft, change, problems: errors, isNew: true };
  return (
    <Form
      {...form.frame}
      notice={isReused(error) && <CreatedDifferently teamId={teamId} />}
      submitLabel="Create"
      actions={
        <ButtonLink variant="default" activeOptions={{ exact: true }} {...listLink}>
          Cancel
        </ButtonLink>
      }
    >
      {/* Disabled while the key is created, which would lack what is entered meanwhile. */}
      <Fieldset variant="unstyled" disabled={isPending}>
        <Paper withBorder p="md">
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
              <SettingInputs settings={['name']} {...inputs} />
              <NativeSelect
                label="Start from"
                description="Fills in the settings below."
                data={[
                  { value: '', label: start.isDuplicate ? 'The duplicated key' : 'An empty form' },
                  ...templates.map(({ id, label }) => ({ value: id, label })),
                ]}
                value={template}
                onChange={({ currentTarget }) => chooseTemplate(currentTarget.value)}
              />
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
              <SettingInputs settings={['expiresAt', 'scopes', 'tags']} {...inputs} />
            </SimpleGrid>
            <Checkbox
              label="Require signed requests"
              description="The signing secret is shown once, after the secret of the key."
              checked={draft.signing}
              onChange={({ currentTarget }) => form.setFieldValue('signing', currentTarget.checked)}
            />
            <Button
              variant="subtle"
              size="compact-sm"
              aria-expanded={isOpen}
              onClick={() => setExpanded(!isOpen)}
              style={{ alignSelf: 'start' }}
            >
              {isOpen ? 'Fewer settings' : 'More settings'}
            </Button>
            {isOpen && (
              <>
                <SettingInputs settings={['allowedIps']} {...inputs} />
                <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
                  <SettingInputs settings={more} {...inputs} />
                </SimpleGrid>
              </>
            )}
          </Stack>
        </Paper>
      </Fieldset>
      {isPending && <IssuingGuard />}
      {form.isDirty() && <LeaveGuard title="Leave without creating the key?" text="What you entered will be lost." />}
    </Form>
  );
}
