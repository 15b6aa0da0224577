import { Button, NativeSelect, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, useEffect, useRef, useState } from 'react';
import { actionNames } from '../key/history/action-names.ts';
import { actions, type Criterion, criteria, keyProblem, type TrailSearch, trailSearch } from './trail-search.ts';

interface Props {
  readonly chosen: TrailSearch;
}

/** The filter. Each change of it applies at once. */
export function TrailFilters({ chosen }: Props) {
  const navigate = useNavigate({ from: '/teams/$teamId/audit' });
  const choose = (search: Partial<Record<Criterion, string>>, options: { readonly replace?: boolean } = {}) =>
    void navigate({ search: trailSearch(search), ...options });
  const [cleared, setCleared] = useState(0);
  const clear = () => {
    setCleared(cleared + 1);
    choose({});
  };
  const input = (criterion: Criterion, label: string) => ({
    label,
    value: chosen[criterion] ?? '',
    // Replaces the history entry, so that Back does not step through each pause in typing.
    apply: (value: string) => choose({ ...chosen, [criterion]: value }, { replace: true }),
  });
  return (
    <SimpleGrid role="search" cols={{ base: 1, xs: 2, sm: 3, md: 6 }} spacing="xs">
      <NativeSelect
        label="Action"
        data={[{ value: '', label: 'Any' }, ...actions.map((value) => ({ value, label: actionNames[value] }))]}
        value={chosen.action ?? ''}
        onChange={({ currentTarget }) => choose({ ...chosen, action: currentTarget.value })}
      />
      {/* Keyed: Clear also discards a text that was not applied, because it is invalid or was just typed. */}
      <Fragment key={cleared}>
        <AppliedInput {...input('actor', 'Actor')} placeholder="ada@example.com" maxLength={255} />
        <AppliedInput {...input('key', 'Key ID')} maxLength={36} problemOf={keyProblem} />
        <AppliedInput {...input('from', 'From')} type="datetime-local" />
        <AppliedInput {...input('to', 'Before')} type="datetime-local" />
      </Fragment>
      {criteria.some((criterion) => chosen[criterion] !== undefined) && (
        <Button variant="subtle" mt={25} w="fit-content" onClick={clear}>
          Clear
        </Button>
      )}
    </SimpleGrid>
  );
}

interface InputProps extends TextInputProps {
  readonly value: string;
  readonly apply: (value: string) => void;
  readonly problemOf?: (value: string) => string | null;
}

/** Shows a value of the URL, and changes the URL shortly after the last key press if the text is valid. */
function AppliedInput({ value, apply, problemOf = () => null, ...props }: InputProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((text: string) => {
    if (problemOf(text) !== null || text === sent.current) return;
    sent.current = text;
    apply(text);
  }, 300);
  useEffect(() => {
    // A change of the URL that came from this input needs no update.
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setTyped(value);
  }, [value, send]);
  return (
    <TextInput
      {...props}
      value={typed}
      error={problemOf(typed)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
