import { Fragment } from 'react';
import { TextLink } from '../components/links.tsx';
import { isList } from '../keys/filter/chosen.ts';
import type { ValueCriterion } from '../keys/filter/key-filter.ts';
import { linkToList } from '../keys/filter/key-query.ts';

interface Props {
  readonly teamId: string;
  readonly criterion: ValueCriterion;
  readonly values: readonly string[];
}

/** Values of a key, each of which leads to the keys that have it too. */
export function Values({ teamId, criterion, values }: Props) {
  return values.map((value, i) => (
    <Fragment key={value}>
      {i > 0 && ', '}
      <TextLink {...linkToList(teamId, { [criterion]: isList(criterion) ? [value] : value })}>{value}</TextLink>
    </Fragment>
  ));
}
