import { Button, NativeSelect, SimpleGrid } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { UrlTextInput } from '../components/form/url-text-input.tsx';
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
        <UrlTextInput {...input('actor', 'Actor')} placeholder="ada@example.com" maxLength={255} />
        <UrlTextInput {...input('key', 'Key ID')} maxLength={36} read={keyIn} check={keyProblem} />
        <UrlTextInput {...input('from', 'From')} type="datetime-local" />
        <UrlTextInput {...input('to', 'Before')} type="datetime-local" />
      </Fragment>
      {criteria.some((criterion) => chosen[criterion] !== undefined) && (
        <Button variant="subtle" mt={25} w="fit-content" onClick={clear}>
          Clear
        </Button>
      )}
    </SimpleGrid>
  );
}

function keyIn(text: string): string | null {
  return keyProblem(text) === null ? text : null;
}
