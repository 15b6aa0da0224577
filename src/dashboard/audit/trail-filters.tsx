import { Button, Group, NativeSelect, Paper, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../components/form.tsx';
import { actionNames } from '../key/history/audit-entry.tsx';
import { isSame } from '../key-settings/key-draft.ts';
import { actions, type Chosen, criteria, problemOf } from './trail-query.ts';

interface Props {
  readonly chosen: Chosen;
  readonly choose: (chosen: Chosen) => void;
}

const cleared: Chosen = { action: '', actor: '', key: '', from: '', to: '' };

export function TrailFilters({ chosen, choose }: Props) {
  const [edited, setEdited] = useState({ chosen, draft: chosen });
  // The draft begins again with each filter in the URL. The form stays: it has the focus.
  if (!isSame(edited.chosen, chosen)) setEdited({ chosen, draft: chosen });
  const { draft } = edited;
  const setDraft = (draft: Chosen) => setEdited({ chosen, draft });
  const problems = criteria.map((criterion) => problemOf(criterion, draft[criterion]));
  const apply = () => {
    if (problems.every((problem) => problem === null)) choose(draft);
  };
  const input = (criterion: 'actor' | 'key' | 'from' | 'to', label: string) => ({
    label,
    value: draft[criterion],
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      setDraft({ ...draft, [criterion]: currentTarget.value }),
    error: problemOf(criterion, draft[criterion]),
  });
  return (
    <Paper role="search" withBorder p="sm">
      <Form submit={apply}>
        <Group align="end" gap="xs">
          <NativeSelect
            label="Action"
            data={[{ value: '', label: 'Any' }, ...actions.map((value) => ({ value, label: actionNames[value] }))]}
            value={draft.action}
            onChange={({ currentTarget }) => setDraft({ ...draft, action: currentTarget.value })}
          />
          <TextInput {...input('actor', 'Actor')} placeholder="ada@example.com" maxLength={255} />
          <TextInput {...input('key', 'Key ID')} maxLength={36} />
          <TextInput {...input('from', 'From')} type="datetime-local" />
          <TextInput {...input('to', 'Before')} type="datetime-local" />
          <Button type="submit">Filter</Button>
          {criteria.some((criterion) => chosen[criterion] !== '') && (
            <Button variant="subtle" onClick={() => choose(cleared)}>
              Clear
            </Button>
          )}
        </Group>
      </Form>
    </Paper>
  );
}
