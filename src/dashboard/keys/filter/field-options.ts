/** What the menu of filters offers: its fields, or the values of one. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { searchable } from '../../../domain/folded-text.ts';
import { execute } from '../../api/execute.ts';
import { formatNumber } from '../../components/format.ts';
import { KeyValuesDocument } from '../../generated/graphql.ts';
import { type Criterion, isList, type List } from './chosen.ts';
import { fields, filterOf, valueFields } from './key-filter.ts';
import { type KeyQuery, orders } from './key-query.ts';

export interface Option {
  readonly value: string;
  readonly label: string;
  /** How many keys have the value. */
  readonly count?: string;
  readonly isChosen?: boolean;
}

export type MenuField = Criterion | List;

interface Offer {
  /** What the options are. */
  readonly label: string;
  readonly options: readonly Option[];
  /** Shown after the options. */
  readonly message: string | null;
}

interface Asked {
  readonly teamId: string;
  readonly query: KeyQuery;
  /** Null for the fields themselves. */
  readonly field: MenuField | null;
  readonly typed: string;
  /** What was typed before a pause: the service searches it. */
  readonly search: string;
}

const menuFields: readonly (Option & { readonly value: MenuField })[] = [
  ...[...valueFields, ...fields].map(({ criterion, label }) => ({ value: criterion, label })),
  { value: 'sort', label: 'Order' },
];

export const menuField = (value: string): MenuField | null =>
  menuFields.find((field) => field.value === value)?.value ?? null;

export function useOffer({ teamId, query, field, typed, search }: Asked): Offer {
  const valueField = valueFields.find(({ criterion }) => criterion === field);
  const { chosen } = query;
  // Of a field with one value, the others are offered in its place.
  const filter = {
    ...chosen,
    ...(valueField === undefined || isList(valueField.criterion) ? {} : { [valueField.criterion]: '' }),
  };
  const { data, error } = useQuery({
    queryKey: ['keys', teamId, 'values', field, filter, search],
    queryFn: async ({ signal }) => {
      if (valueField === undefined) return null;
      const variables = {
        teamId,
        field: valueField.field,
        filter: filterOf(filter),
        search: search === '' ? null : search,
      };
      return (await execute(KeyValuesDocument, variables, signal)).keyValues;
    },
    enabled: valueField !== undefined,
    placeholderData: (before) => before,
  });
  return useMemo(() => {
    if (field === null) return offer('Filter', menuFields, typed);
    const label = menuFields.find(({ value }) => value === field)?.label ?? '';
    const isChosen = (value: string) => [chosen[field]].flat().includes(value);
    if (valueField === undefined) {
      const choices = field === 'sort' ? orders : (fields.find(({ criterion }) => criterion === field)?.choices ?? []);
      return offer(
        label,
        choices.map((choice) => ({ ...choice, isChosen: isChosen(choice.value) })),
        typed,
      );
    }
    if (data == null)
      return { label, options: [], message: error === null ? 'Loading…' : 'The values could not be loaded.' };
    const options = data.values.map(({ value, count }) => ({
      value,
      label: value,
      count: formatNumber(count),
      isChosen: isChosen(value),
    }));
    const found = offer(label, options, typed);
    return data.hasMore ? { ...found, message: 'There are more: type to find them.' } : found;
  }, [field, valueField, chosen, data, error, typed]);
}

function offer(label: string, options: readonly Option[], typed: string): Offer {
  const wanted = searchable(typed);
  const found = options.filter((option) => searchable(option.label).includes(wanted));
  return { label, options: found, message: found.length === 0 ? 'Nothing found.' : null };
}
