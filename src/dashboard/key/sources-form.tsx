import { Alert, Button, Code, Group, List, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { execute } from '../api/execute.ts';
import { updateKey } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Section } from '../components/section.tsx';
import { useViewer } from '../session/viewer.ts';
import { type Key, useKeyChange } from './key-change.ts';
import { entriesOf, problemsOf } from './sources.ts';

interface Props {
  readonly apiKey: Key;
  readonly editable: boolean;
}

/** Shows and edits the sources that can use the key. */
export function SourcesForm({ apiKey, editable }: Props) {
  return (
    <Section title="Allowed sources">
      {editable ? <Editor apiKey={apiKey} /> : <Shown sources={apiKey.allowedIps} />}
    </Section>
  );
}

function Shown({ sources }: { readonly sources: readonly string[] }) {
  if (sources.length === 0) return <Text size="sm">Every source can use the key.</Text>;
  return (
    <Code block tabIndex={0}>
      {sources.join('\n')}
    </Code>
  );
}

function Editor({ apiKey }: { readonly apiKey: Key }) {
  const { data: viewer } = useViewer();
  const saved = apiKey.allowedIps.join('\n');
  const [text, setText] = useState(saved);
  const update = useKeyChange(
    async (allowedIps: string[]) => (await execute(updateKey, { id: apiKey.id, input: { allowedIps } })).updateKey,
  );
  const problems = problemsOf(text);
  const changed = entriesOf(text).join('\n') !== saved;
  const save = (event: FormEvent) => {
    event.preventDefault();
    update.mutate(entriesOf(text), { onSuccess: ({ apiKey: { allowedIps } }) => setText(allowedIps.join('\n')) });
  };
  const own = viewer?.source ?? null;
  const ownIsIn = own !== null && entriesOf(text).some((entry) => entry.split('#', 1)[0]?.trim() === own);
  const addOwn = () => setText(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${own} # my address\n`);
  return (
    <form onSubmit={save} noValidate>
      <Textarea
        className="sources"
        label="Sources that can use the key"
        description="One per line: an IP address, a CIDR range or a host name, optionally followed by a # comment. Empty: every source."
        placeholder={'203.0.113.9\n10.0.0.0/8 # our network\nvpn.example.com'}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        error={
          problems.length > 0 && `${problems.length === 1 ? 'One line is' : `${problems.length} lines are`} not valid`
        }
      />
      {problems.length > 0 && (
        <List size="sm" mt="xs" aria-label="Problems">
          {problems.map(({ line, message }) => (
            <List.Item key={`${line} ${message}`}>
              Line {line} {message}
            </List.Item>
          ))}
        </List>
      )}
      {update.error !== null && <ErrorNotice error={update.error} />}
      {changed && apiKey.allowedIps.length === 0 && problems.length === 0 && (
        <Alert mt="xs" role="status">
          Once this is saved, requests from all other sources are rejected.
        </Alert>
      )}
      <Group mt="sm">
        <Button type="submit" loading={update.isPending} disabled={!changed || problems.length > 0}>
          Save sources
        </Button>
        {own !== null && !ownIsIn && (
          <Button variant="default" onClick={addOwn}>
            Add my address, {own}
          </Button>
        )}
        {update.isSuccess && !changed && (
          <Text size="sm" role="status">
            Saved
          </Text>
        )}
      </Group>
    </form>
  );
}
