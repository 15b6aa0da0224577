import { Button, Checkbox, Fieldset, Group, NativeSelect, Paper, Radio, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type SettingName, settingNames } from '../../../domain/key/settings.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { Form } from '../../components/form/form.tsx';
import type { useServerForm } from '../../components/form/use-server-form.ts';
import { ButtonLink } from '../../components/links.tsx';
import type { CreateKeyMutation, KeyEnv } from '../../generated/graphql.ts';
import { wideSources } from '../../key-form/allowed-sources.ts';
import { defaultExpiry } from '../../key-form/expiry.ts';
import { SettingInputs, WideSourcesDialog } from '../../key-form/inputs.tsx';
import { changedAmong, draftOf } from '../../key-form/key-draft.ts';
import type { KeyPolicy } from '../../policy/policy-draft.ts';
import { PolicyNotice } from '../../policy/policy-notice.tsx';
import { IssuingGuard } from '../../secrets/secret-once.tsx';
import { useListLink } from '../filter/key-query.ts';
import { CreatedDifferently, isReused } from './lost-key.tsx';
import { changeTemplate, givenAfter, type NewKeyDraft, type Start, templates, withDefaults } from './new-key.ts';

interface Props {
  readonly teamId: string;
  readonly start: Start;
  /** Of the chosen environment; absent until it is loaded, and if the user may not read it. */
  readonly policy: KeyPolicy | undefined;
  readonly isPolicyLoading: boolean;
  readonly form: ReturnType<typeof useServerForm<NewKeyDraft, CreateKeyMutation['createKey']>>;
}

const basic: readonly SettingName[] = ['name', 'expiresAt', 'scopes', 'tags'];
const hidden = settingNames.filter((name) => !basic.includes(name));
const empty = draftOf();

const setsHidden = (draft: NewKeyDraft) => changedAmong(hidden, empty, draft).length > 0;

export function NewKeyForm({ teamId, start, form, policy, isPolicyLoading }: Props) {
  const { values: draft, errors, error, isPending } = form;
  const { effective: rules, defaults } = policy ?? {};
  const shown = withDefaults(draft, defaults, form.isTouched);
  const getInputProps = (name: SettingName) => ({ ...form.getInputProps(name), value: shown[name] });
  const [isExpanded, setExpanded] = useState(setsHidden(draft));
  const mustSign = rules?.requireSigning ?? false;
  const isDefaulted = changedAmong(hidden, draft, shown).length > 0;
  const isOpen = isExpanded || isDefaulted || rules?.requireAllowedIps || hidden.some((name) => name in errors);
  const listLink = useListLink(teamId);
  const chooseTemplate = (id: string) => {
    const next = changeTemplate(draft, start.origin, id);
    form.setValues(next);
    form.setTouched(givenAfter(id, start, form.isTouched));
    if (setsHidden(next)) setExpanded(true);
  };
  const chooseEnv = (env: KeyEnv) =>
    form.setValues({ env, ...(!form.isTouched('expiresAt') && { expiresAt: defaultExpiry(env) }) });
  const [asks, { open, close }] = useDisclosure();
  const submit = () => {
    // A retry must send the same input, so the policy, which changes what is sent, comes before the first attempt.
    if (isPolicyLoading) return;
    // Invalid input is shown before the question.
    if (form.isValid() && wideSources(shown.allowedIps) !== null) open();
    else form.frame.submit();
  };
  const isLeft = !form.isTouched('expiresAt');
  const leave = () => form.setTouched((touched) => ({ ...touched, expiresAt: false }));
  const unknownExpiry = policy === undefined && !isPolicyLoading && { leftExpiry: { isLeft, leave } };
  const inputs = { teamId, getInputProps, rules, isNew: true, ...unknownExpiry };
  return (
    <>
      <Form
        {...form.frame}
        submit={submit}
        notice={isReused(error) && <CreatedDifferently teamId={teamId} />}
        submitLabel="Create"
        canSubmit={!isPolicyLoading}
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
              <PolicyNotice env={draft.env} rules={rules} />
              <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
                <SettingInputs settings={['name']} {...inputs} />
                <NativeSelect
                  label="Start from"
                  description="Fills in the settings below."
                  data={[
                    { value: '', label: start.isDuplicate ? 'The duplicated key' : 'An empty form' },
                    ...templates.map(({ id, label }) => ({ value: id, label })),
                  ]}
                  value={draft.template}
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
                {...form.getInputProps('signing', { type: 'checkbox' })}
                {...(mustSign && { checked: true, disabled: true })}
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
                  <Checkbox
                    label="Tripwire"
                    description="Nobody uses it: it is never accepted, and the team is told when somebody presents it."
                    {...form.getInputProps('tripwire', { type: 'checkbox' })}
                  />
                  <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
                    <SettingInputs settings={hidden.filter((name) => name !== 'allowedIps')} {...inputs} />
                  </SimpleGrid>
                </>
              )}
            </Stack>
          </Paper>
        </Fieldset>
        {isPending && <IssuingGuard />}
        {form.isDirty() && <LeaveGuard title="Leave without creating the key?" text="What you entered will be lost." />}
      </Form>
      <WideSourcesDialog
        text={shown.allowedIps}
        opened={asks}
        close={close}
        confirm={() => {
          close();
          form.frame.submit();
        }}
        pending={isPending}
        error={null}
      />
    </>
  );
}
