import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import {
  type Criterion,
  envChoices,
  expiryChoices,
  type KeyQuery,
  pageSizes,
  signingChoices,
  stateChoices,
  useChoices,
} from './key-query.ts';

const selects: readonly (readonly [
  Criterion,
  string,
  readonly { readonly value: string; readonly label: string }[],
])[] = [
  ['state', 'State', stateChoices.map(({ value, label }) => ({ value, label }))],
  ['env', 'Environment', envChoices],
  ['signing', 'Signing', signingChoices],
  ['use', 'Use', useChoices],
  ['expiry', 'Expiry', expiryChoices],
];
const narrowing: readonly Criterion[] = ['search', ...selects.map(([criterion]) => criterion)];

export function KeyFilters({ query: { chosen, choose } }: { readonly query: KeyQuery }) {
  const [typed, setTyped] = useState(chosen.search);
  const search = useDebouncedCallback((text: string) => choose('search', text.trim()), 250);
  const clear = () => {
    setTyped('');
    for (const criterion of narrowing) choose(criterion, '');
  };
  return (
    <Group role="search" align="end" gap="xs">
      <TextInput
        label="Search"
        placeholder="Name or prefix"
        type="search"
        maxLength={100}
        w={{ base: '100%', sm: 180 }}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          search(currentTarget.value);
        }}
      />
      {selects.map(([criterion, label, choices]) => (
        <NativeSelect
          key={criterion}
          label={label}
          w={{ base: 'calc(50% - 5px)', sm: 148 }}
          data={[...choices]}
          value={chosen[criterion]}
          onChange={({ currentTarget }) => choose(criterion, currentTarget.value)}
        />
      ))}
      <NativeSelect
        label="Rows"
        w={{ base: 'calc(50% - 5px)', sm: 80 }}
        data={pageSizes}
        value={chosen.size || '50'}
        onChange={({ currentTarget }) => choose('size', currentTarget.value)}
      />
      {narrowing.some((criterion) => chosen[criterion] !== '') && (
        <Button variant="subtle" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  );
}
