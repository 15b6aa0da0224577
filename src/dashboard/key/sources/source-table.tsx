import { Alert } from '@mantine/core';
import { VerdictCounts } from '../../components/code-link.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Moment } from '../../components/moment.tsx';
import type { ObservedSourcesQuery, SecretStanding } from '../../generated/graphql.ts';
import type { Source } from './suggestions.ts';

type Unlisted = ObservedSourcesQuery['unlistedSources'];

interface Props {
  readonly label: string;
  readonly sources: readonly Source[];
}

const secretNames: Readonly<Record<SecretStanding, string>> = {
  CURRENT: 'current',
  PREVIOUS: 'previous',
  EARLIER: 'earlier',
};

const columns: readonly Column<Source>[] = [
  { name: 'Address', cell: ({ address }) => <span className="breakable">{address}</span> },
  { name: 'Secret', cell: ({ secret }) => secretNames[secret] },
  { name: 'First seen', cell: ({ firstAt }) => <Moment at={firstAt} /> },
  { name: 'Last seen', cell: ({ lastAt }) => <Moment at={lastAt} /> },
  {
    name: 'Verdicts',
    cell: ({ counts }) => <VerdictCounts counts={counts} />,
  },
];

export function SourceTable({ label, sources }: Props) {
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={sources}
      idOf={({ address, secret }) => `${address} ${secret}`}
      minWidth={480}
    />
  );
}

interface NoticeProps {
  readonly unlisted: Unlisted;
  readonly children: string;
}

export function UnlistedNotice({ unlisted, children }: NoticeProps) {
  const latest = unlisted
    .map(({ lastAt }) => lastAt)
    .sort()
    .at(-1);
  if (latest === undefined) return null;
  return (
    <Alert color="yellow" role="status" title="The list of recent sources is full">
      The key was used from more addresses than are listed. An address that is not listed was last seen{' '}
      <Moment at={latest} />. {children}
    </Alert>
  );
}
