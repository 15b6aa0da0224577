import { Alert, Code, List, Text } from '@mantine/core';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import type { SettingName } from '../../../domain/key/settings.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { Section } from '../../components/section.tsx';
import { problemsOf, sourcesIn } from '../../key-settings/allowed-sources.ts';
import { SourcesInput } from '../../key-settings/setting-inputs.tsx';
import { MergeDialog } from '../details/merge-dialog.tsx';
import { useEdit } from '../details/use-edit.ts';
import type { Key, PartProps } from '../key-change.ts';
import { SourcesPreview } from './sources-preview.tsx';
import { SuggestedSources } from './suggested-sources.tsx';

const settings: readonly SettingName[] = ['allowedIps'];

export function SourcesForm({ apiKey, editable }: Pick<PartProps, 'apiKey' | 'editable'>) {
  return <Section title="Allowed sources">{editable ? <Editor apiKey={apiKey} /> : <Shown apiKey={apiKey} />}</Section>;
}

function Shown({ apiKey: { allowedIps, revokedAt } }: { readonly apiKey: Key }) {
  if (allowedIps.length > 0) {
    return (
      <Code block tabIndex={0}>
        {allowedIps.join('\n')}
      </Code>
    );
  }
  const text =
    revokedAt === null ? 'Every source can use the key.' : 'Every source could use the key before it was revoked.';
  return <Text size="sm">{text}</Text>;
}

function Editor({ apiKey }: { readonly apiKey: Key }) {
  const edit = useEdit(apiKey, settings);
  const [isConfirming, setConfirming] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const text = edit.form.values.allowedIps;
  const change = (text: string) => edit.form.setFieldValue('allowedIps', text);
  // The button that was clicked disappears, so the field takes the focus.
  const suggest = (text: string) => {
    change(text);
    input.current?.focus();
  };
  const entries = sourcesIn(text);
  const isValid = problemsOf(text).length === 0;
  const save = () => {
    if (isValid && entries.length === 0 && edit.base.allowedIps.length > 0) setConfirming(true);
    else edit.save();
  };
  return (
    <>
      <Form {...edit.frame} error={isConfirming ? null : edit.frame.error} submit={save} submitLabel="Save sources">
        <SourceLines input={input} text={text} change={change} rejection={edit.form.errors.allowedIps} />
        <SuggestedSources keyId={apiKey.id} text={text} change={suggest} />
        {edit.frame.isDirty && isValid && <Consequence before={edit.base.allowedIps} after={entries} />}
      </Form>
      {isValid && entries.length > 0 && <SourcesPreview keyId={apiKey.id} entries={entries} />}
      <ConfirmDialog
        opened={isConfirming}
        close={() => setConfirming(false)}
        title="Allow every source?"
        confirm={() => edit.save(() => setConfirming(false))}
        confirmLabel="Allow every source"
        color="red"
        pending={edit.frame.isPending}
        error={edit.frame.error}
      >
        <Text>Without allowed sources, the key can be used from anywhere. A leaked secret would work too.</Text>
      </ConfirmDialog>
      <MergeDialog {...edit.merge} />
    </>
  );
}

/** The number of problems that are shown, so that the form fits on a screen. */
const maxShown = 5;

interface LinesProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly change: (text: string) => void;
  /** What the server says about valid lines. */
  readonly rejection: ReactNode;
}

function SourceLines({ input, text, change, rejection }: LinesProps) {
  const problems = problemsOf(text);
  return (
    <>
      <SourcesInput
        ref={input}
        label="Sources that can use the key"
        minRows={3}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        error={
          problems.length === 0
            ? rejection
            : `${problems.length === 1 ? 'One line is' : `${problems.length} lines are`} not valid`
        }
      />
      {problems.length > 0 && (
        <List size="sm" mt="xs" aria-label="Problems">
          {problems.slice(0, maxShown).map(({ line, message }) => (
            <List.Item key={`${line} ${message}`}>
              Line {line} {message}
            </List.Item>
          ))}
          {problems.length > maxShown && <List.Item>and {problems.length - maxShown} more</List.Item>}
        </List>
      )}
    </>
  );
}

function Consequence({ before, after }: { readonly before: readonly string[]; readonly after: readonly string[] }) {
  if (after.length === 0) {
    return (
      <Alert mt="xs" color="red" role="status" title="The key will work from anywhere">
        Without allowed sources, every source can use the key.
      </Alert>
    );
  }
  if (before.length > 0) return null;
  return (
    <Alert mt="xs" role="status">
      Once this is saved, requests from all other sources are rejected.
    </Alert>
  );
}
