import type { ReactNode } from 'react';
import { Clipped, Items } from '../../components/clipped.tsx';
import { formatRate } from '../../components/format.ts';
import { Moment } from '../../components/moment.tsx';
import { EnvBadge } from '../../components/state-dot.tsx';
import type { KeyListQuery, KeyOrderField } from '../../generated/graphql.ts';
import { ExpiryText } from '../../key-form/expiry-text.tsx';
import type { ValueCriterion } from '../filter/key-filter.ts';
import type { KeyQuery } from '../filter/key-query.ts';
import { Sparkline } from './calls.tsx';
import { FilterValue } from './filter-value.tsx';
import { useShownColumns } from './shown-columns.ts';

export type Key = KeyListQuery['keys']['nodes'][number];

export interface Column {
  readonly id: string;
  readonly label: string;
  /** In the head of the table; by default the label. */
  readonly heading?: string;
  readonly sort?: KeyOrderField;
  /** In pixels. Columns without a width share what the others leave, so that every choice of columns fits. */
  readonly width?: number;
  /** The width in pixels while every shown column has a width, so that names have room to spare. */
  readonly roomyWidth?: number;
  /** The column is hidden in windows that are narrower than this breakpoint. Phones show cards instead of rows. */
  readonly visibleFrom?: 'sm' | 'md';
  readonly cell: (key: Key) => ReactNode;
}

/** Shows values that filter the list by them. */
const filterBy = (criterion: ValueCriterion) => (value: string) => <FilterValue criterion={criterion} value={value} />;

export const columns: readonly Column[] = [
  { id: 'env', label: 'Environment', heading: 'Env', width: 54, cell: ({ env }) => <EnvBadge env={env} /> },
  {
    id: 'calls',
    label: 'Last 7 days',
    width: 72,
    sort: 'CALLS',
    visibleFrom: 'sm',
    cell: ({ id }) => <Sparkline id={id} />,
  },
  {
    id: 'lastUsed',
    label: 'Last used',
    width: 92,
    roomyWidth: 128,
    sort: 'LAST_USED_AT',
    cell: ({ lastUsedAt }) => (lastUsedAt == null ? <span className="dimmed">never</span> : <Moment at={lastUsedAt} />),
  },
  {
    id: 'created',
    label: 'Created',
    width: 92,
    roomyWidth: 128,
    sort: 'CREATED_AT',
    visibleFrom: 'md',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    id: 'expires',
    label: 'Expires',
    width: 100,
    roomyWidth: 156,
    sort: 'EXPIRES_AT',
    cell: ({ expiresAt, state }) => <ExpiryText expiresAt={expiresAt ?? null} state={state} />,
  },
  {
    id: 'tags',
    label: 'Tags',
    visibleFrom: 'sm',
    cell: ({ tags = [] }) => <Items texts={tags} item={filterBy('tag')} />,
  },
  {
    id: 'externalId',
    label: 'External ID',
    visibleFrom: 'sm',
    cell: ({ externalId }) => externalId != null && <Clipped>{filterBy('externalId')(externalId)}</Clipped>,
  },
  {
    id: 'responsible',
    label: 'Responsible',
    visibleFrom: 'sm',
    cell: ({ responsible }) => responsible != null && <Clipped>{filterBy('responsible')(responsible)}</Clipped>,
  },
  {
    id: 'description',
    label: 'Description',
    visibleFrom: 'md',
    cell: ({ description }) => <Clipped>{description}</Clipped>,
  },
  {
    id: 'sources',
    label: 'Allowed sources',
    heading: 'Sources',
    width: 76,
    visibleFrom: 'sm',
    cell: ({ allowedIpsCount }) => (allowedIpsCount === 0 ? 'anywhere' : allowedIpsCount),
  },
  {
    id: 'signing',
    label: 'Signing',
    width: 66,
    visibleFrom: 'sm',
    cell: ({ signingEnabled }) => (signingEnabled ? 'on' : 'off'),
  },
  {
    id: 'scopes',
    label: 'Scopes',
    visibleFrom: 'sm',
    cell: ({ scopes = [] }) => <Items texts={scopes} item={filterBy('scope')} />,
  },
  {
    id: 'limit',
    label: 'Rate limit',
    width: 88,
    visibleFrom: 'md',
    cell: ({ rateLimit }) => rateLimit != null && formatRate(rateLimit.limit, rateLimit.windowSeconds),
  },
  {
    id: 'creator',
    label: 'Created by',
    visibleFrom: 'md',
    cell: ({ createdBy }) => createdBy != null && <Clipped>{filterBy('creator')(createdBy)}</Clipped>,
  },
];

export function visibleClass(from: Column['visibleFrom']): string | undefined {
  return from === undefined ? undefined : `mantine-visible-from-${from}`;
}

/** The shown columns, and a function that shows or hides one. A change affects only the used list of columns. */
export function useColumns({ chosen, choose }: KeyQuery) {
  const { isShown, isLinked, setHidden } = useShownColumns(chosen);
  const shown = columns.filter(({ id }) => isShown(id));
  const toggle = (toggled: string) => {
    const next = columns.filter(({ id }) => isShown(id) !== (id === toggled));
    if (isLinked) choose({ columns: idsOf(next) }, { replace: true });
    else setHidden(columns.filter((column) => !next.includes(column)).map(({ id }) => id));
  };
  return { shown, toggle };
}

/** Returns the parameter for these columns. Without a column, it is not empty: that would mean the remembered ones. */
export function idsOf(shown: readonly Column[]): string {
  return shown.map(({ id }) => id).join(',') || 'none';
}
