import { Code, Stack, Text } from '@mantine/core';
import type { SettingName } from '../../../domain/key/settings.ts';
import { Form } from '../../components/form/form.tsx';
import { Section } from '../../components/section.tsx';
import { SettingInputs } from '../../key-form/inputs.tsx';
import { useRules } from '../../policy/policy.ts';
import { PolicyNotice } from '../../policy/policy-notice.tsx';
import { nameOf, textOf } from '../history/changes-in-words.ts';
import type { PartProps } from '../key-change.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { useEdit } from './use-edit.ts';

interface Props extends Pick<PartProps, 'apiKey' | 'editable'> {
  readonly title: string;
  /** The settings that this form saves. */
  readonly settings: readonly SettingName[];
  readonly submitLabel: string;
}

/** A part of the key's settings, which is saved on its own. */
export function EditForm({ title, apiKey, editable, ...rest }: Props) {
  return (
    <Section title={title}>
      {editable ? <Editor apiKey={apiKey} {...rest} /> : <Shown apiKey={apiKey} settings={rest.settings} />}
    </Section>
  );
}

function Editor({ apiKey, settings, submitLabel }: Omit<Props, 'title' | 'editable'>) {
  const rules = useRules(apiKey.teamId, apiKey.env);
  const edit = useEdit(apiKey, settings, rules);
  return (
    <>
      <Form {...edit.frame} submit={() => edit.save()} submitLabel={submitLabel}>
        <PolicyNotice env={apiKey.env} rules={rules} about={settings} />
        <SettingInputs
          settings={settings}
          teamId={apiKey.teamId}
          rules={rules}
          issuedAt={apiKey.rotatedAt ?? apiKey.createdAt}
          getInputProps={edit.form.getInputProps}
        />
      </Form>
      <MergeDialog {...edit.merge} />
    </>
  );
}

function Shown({ apiKey, settings }: Pick<Props, 'apiKey' | 'settings'>) {
  return settings.map((setting) => (
    <Stack key={setting} gap={2}>
      <Text size="sm" c="dimmed">
        {nameOf(setting)}
      </Text>
      {setting === 'metadata' && apiKey.metadata !== null ? (
        <Code block tabIndex={0}>
          {JSON.stringify(apiKey.metadata, null, 2)}
        </Code>
      ) : (
        <Text size="sm" className="breakable">
          {textOf(setting, apiKey[setting])}
        </Text>
      )}
    </Stack>
  ));
}
