import { Alert, Code, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { SettingName } from '../../../domain/key/settings.ts';
import { coversAll } from '../../../domain/source/coverage.ts';
import { execute } from '../../api/execute.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Form } from '../../components/form/form.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/section.tsx';
import { PreviewAllowedIpsDocument, type PreviewAllowedIpsQuery } from '../../generated/graphql.ts';
import { sourcesIn, sourcesProblem, wideSources } from '../../key-form/allowed-sources.ts';
import { SourcesInput, WideSourcesDialog } from '../../key-form/inputs.tsx';
import { useRules } from '../../policy/policy.ts';
import { PolicyNotice } from '../../policy/policy-notice.tsx';
import { MergeDialog } from '../details/merge-dialog.tsx';
import { useEdit } from '../details/use-edit.ts';
import type { Key, PartProps } from '../key-change.ts';
import { SuggestedSources } from './suggested-sources.tsx';

const settings: readonly SettingName[] = ['allowedIps'];

export function SourcesForm({ apiKey, editable }: Pick<PartProps, 'apiKey' | 'editable'>) {
  return <Section title="Allowed sources">{editable ? <Editor apiKey={apiKey} /> : <Shown apiKey={apiKey} />}</Section>;
}

function Shown({ apiKey: { allowedIps } }: { readonly apiKey: Key }) {
  if (allowedIps.length === 0) return <Text size="sm">Every source is allowed.</Text>;
  return (
    <Code block tabIndex={0}>
      {allowedIps.join('\n')}
    </Code>
  );
}

function Editor({ apiKey }: { readonly apiKey: Key }) {
  const keyId = apiKey.id;
  const rules = useRules(apiKey.teamId, apiKey.env);
  const edit = useEdit(apiKey, settings, rules);
  const [asks, { open, close }] = useDisclosure();
  const input = useRef<HTMLTextAreaElement>(null);
  const text = edit.form.values.allowedIps;
  const change = (text: string) => edit.form.setFieldValue('allowedIps', text);
  // The button that was clicked disappears, so the field takes the focus.
  const suggest = (text: string) => {
    change(text);
    input.current?.focus();
  };
  const entries = sourcesIn(text);
  const isValid = sourcesProblem(text) === null;
  const before = edit.base.allowedIps.length;
  const isRejected =
    rules?.requireAllowedIps === true && edit.frame.isDirty && (entries.length === 0 || coversAll(entries));
  // Returns nothing until it is asked for, and again after each edit, because the list is its key.
  const preview = useQuery({
    queryKey: ['preview', keyId, entries],
    queryFn: async ({ signal }) =>
      (await execute(PreviewAllowedIpsDocument, { keyId, allowedIps: entries }, signal)).previewAllowedIps,
    enabled: false,
    gcTime: 0,
  });
  return (
    <>
      <Form
        {...edit.frame}
        error={asks ? null : edit.frame.error}
        canSubmit={edit.frame.canSubmit && !isRejected}
        submit={isValid && (entries.length === 0 ? before > 0 : wideSources(text) !== null) ? open : edit.save}
        submitLabel="Save sources"
        actions={
          isValid &&
          entries.length > 0 && (
            <FocusableButton
              type="button"
              variant="default"
              // Fits on the smallest phones.
              px="sm"
              loading={preview.isFetching}
              onClick={() => void preview.refetch()}
            >
              Preview with recent sources
            </FocusableButton>
          )
        }
      >
        <PolicyNotice env={apiKey.env} rules={rules} about={settings} />
        <SourcesInput
          ref={input}
          label="Sources that can use the key"
          minRows={3}
          value={text}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          error={isRejected ? 'The policy demands at least one, and not every address.' : edit.form.errors.allowedIps}
        />
        <SuggestedSources keyId={keyId} text={text} change={suggest} />
        {isValid && entries.length > 0 && before === 0 && wideSources(text) === null && (
          <Alert role="status">Once this is saved, requests from all other sources are rejected.</Alert>
        )}
        {preview.error !== null && <ErrorNotice error={preview.error} />}
        {preview.data !== undefined && <Preview {...preview.data} />}
      </Form>
      <WideSourcesDialog
        text={text}
        opened={asks}
        close={close}
        confirm={() => edit.save(close)}
        pending={edit.frame.isPending}
        error={edit.frame.error}
      />
      <MergeDialog {...edit.merge} />
    </>
  );
}

/** Says which recent sources the list would reject. */
function Preview({ accepted, rejected, unlisted }: PreviewAllowedIpsQuery['previewAllowedIps']) {
  if (accepted.length + rejected.length + unlisted.length === 0) {
    return (
      <Text size="sm" role="status">
        No sources were recorded for this key yet.
      </Text>
    );
  }
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        {unlisted.length === 0 || rejected.length > 0
          ? `Of the recent sources, this list accepts ${accepted.length} and rejects ${rejected.length}`
          : `This list accepts the ${accepted.length} recent sources that are known`}
        {rejected.length === 0 ? '.' : ':'}
      </Text>
      <List size="sm" aria-label="Sources that would be rejected">
        {rejected.map(({ address, secret, lastAt }) => (
          <List.Item key={`${address} ${secret}`}>
            {address}, last seen <Moment at={lastAt} />
          </List.Item>
        ))}
      </List>
      {unlisted.length > 0 && (
        <Text size="sm" fw={600}>
          There were more sources than are listed. How many of those it rejects is not known.
        </Text>
      )}
    </Stack>
  );
}
