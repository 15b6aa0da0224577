/** The filter of the audit page, which is part of its URL. */
import { Button, Group, NativeSelect, Paper, TextInput } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isUuid } from '../../lib/uuid.ts';
import { Form } from '../components/form/form.tsx';
import type { AuditAction, TeamTrailQueryVariables } from '../generated/graphql.ts';
import { actionNames } from '../key/history/audit-entry.tsx';
import { isSame } from '../key-settings/key-draft.ts';
import { type Criterion, criteria, trailSearch } from './trail-search.ts';

type Chosen = Readonly<Record<Criterion, string>>;
export type TrailFilter = Pick<TeamTrailQueryVariables, 'keyId' | 'action' | 'actor' | 'from' | 'to'>;

const actions = Object.keys(actionNames) as AuditAction[];

export function useTrailQuery() {
  // Not `useSearch`, which skips a filter that the user leaves with Back before its entries are shown.
  const chosen: Chosen = { ...cleared, ...trailSearch(useLocation().search) };
  const navigate = useNavigate({ from: '/teams/$teamId/audit' });
  const choose = (search: Chosen) => void navigate({ search: trailSearch(search) });
  return { chosen, choose };
}

function problemOf(criterion: Criterion, value: string): string | null {
  if (value === '') return null;
  if (criterion === 'key') return isUuid(value.trim()) ? null : 'The id of a key has 36 characters.';
  if (criterion === 'from' || criterion === 'to') return instantOf(value) === null ? 'This is not a time.' : null;
  return null;
}

/** Returns the filter for the server, without invalid criteria. */
export function filterOf({ action, actor, key, from, to }: Chosen): TrailFilter {
  const known = actions.find((name) => name === action);
  return {
    action: known === undefined ? null : [known],
    actor: actor === '' ? null : actor,
    keyId: key === '' || problemOf('key', key) !== null ? null : key.trim(),
    from: instantOf(from),
    to: instantOf(to),
  };
}

function instantOf(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

interface Props {
  readonly chosen: Chosen;
  readonly choose: (chosen: Chosen) => void;
}

const cleared: Chosen = { action: '', actor: '', key: '', from: '', to: '' };

export function TrailFilters({ chosen, choose }: Props) {
  const [edited, setEdited] = useState({ chosen, draft: chosen });
  // A new filter in the URL resets the draft. The form is not mounted again, because it has the focus.
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
