/** The addresses that a key was recently used from, as the APIs that verified it reported them. */
import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { execute } from '../../api/execute.ts';
import { VerdictCounts } from '../../components/code-link.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { DayBars } from '../../components/day-bars.tsx';
import { formatNumber } from '../../components/format.ts';
import { TextLink } from '../../components/links.tsx';
import { Moment } from '../../components/moment.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import { ObservedSourcesDocument, type ObservedSourcesQuery } from '../../generated/graphql.ts';
import type { PartProps } from '../key-change.ts';
import { useTab } from '../key-tab.ts';
import { isAccepted, type Source } from './suggestions.ts';

/** Loads the observed sources of a key. `lastAccepted` is the source whose request was accepted last. */
export function useSources(keyId: string) {
  const query = useQuery({
    queryKey: ['observed-sources', keyId],
    queryFn: ({ signal }) => execute(ObservedSourcesDocument, { keyId }, signal),
    refetchInterval: 30_000,
  });
  return { query, lastAccepted: query.data?.observedSources.find(isAccepted) };
}

export function ObservedSources({ apiKey, editable }: Pick<PartProps, 'apiKey' | 'editable'>) {
  const { query } = useSources(apiKey.id);
  const { show } = useTab();
  return (
    <Section title="Recent sources">
      <QueryView query={query}>
        {({ observedSources: sources, unlistedSources: unlisted }) =>
          sources.length === 0 ? (
            <Text size="sm">No sources yet. They appear here once an API sends the address of its callers.</Text>
          ) : (
            <>
              <UnlistedNotice unlisted={unlisted}>An allow-list of these sources may reject clients.</UnlistedNotice>
              <NewSources teamId={apiKey.teamId} sources={sources} />
              {editable && (
                <Group>
                  <Button variant="default" onClick={() => show('access')}>
                    Choose allowed sources
                  </Button>
                </Group>
              )}
            </>
          )
        }
      </QueryView>
    </Section>
  );
}

/** Narrows the sources to those that were first seen since a day, which is that of the reader. */
function NewSources({ teamId, sources }: { readonly teamId: string; readonly sources: readonly Source[] }) {
  const [day, setDay] = useState('');
  const since = Date.parse(`${day}T00:00`);
  const shown = Number.isNaN(since) ? sources : sources.filter(({ firstAt }) => Date.parse(firstAt) >= since);
  return (
    <>
      <TextInput
        type="date"
        label="New since"
        size="xs"
        maw={180}
        value={day}
        onChange={({ currentTarget }) => setDay(currentTarget.value)}
      />
      {shown.length === 0 ? (
        <Text size="sm" role="status">
          No source is new since then.
        </Text>
      ) : (
        <SourceTable label="Recent sources" teamId={teamId} sources={shown} />
      )}
    </>
  );
}

const columnsFor = (teamId: string): readonly Column<Source>[] => [
  {
    name: 'Address',
    cell: ({ address }) => (
      <TextLink to="/teams/$teamId/addresses" params={{ teamId }} search={{ address }} className="breakable">
        {address}
      </TextLink>
    ),
  },
  { name: 'Secret', cell: ({ secret }) => secret.toLowerCase() },
  { name: 'First seen', cell: ({ firstAt }) => <Moment at={firstAt} /> },
  { name: 'Last seen', cell: ({ lastAt }) => <Moment at={lastAt} /> },
  { name: 'Verdicts', cell: ({ counts }) => <VerdictCounts counts={counts} /> },
  { name: 'Last 31 days', cell: (source) => <Days {...source} /> },
];

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

/** Calls that were accepted, above those that were rejected, of each day and with any secret of the key. */
function Days({ acceptedByDay, rejectedByDay }: Source) {
  const max = Math.max(...acceptedByDay, ...rejectedByDay);
  const lines = [
    { kind: 'accepted', counts: acceptedByDay },
    { kind: 'rejected', counts: rejectedByDay },
  ] as const;
  return lines.map(({ kind, counts }) => {
    const [all, today] = [sum(counts), counts.at(-1) ?? 0].map((count) => formatNumber(count));
    const text = `${all} ${kind} in ${counts.length} days, ${today} today`;
    return sum(counts) > 0 && <DayBars key={kind} counts={counts} max={max} kind={kind} text={text} />;
  });
}

interface TableProps {
  readonly label: string;
  readonly teamId: string;
  readonly sources: readonly Source[];
}

export function SourceTable({ label, teamId, sources }: TableProps) {
  const idOf = ({ address, secret }: Source) => `${address} ${secret}`;
  return <DataTable label={label} columns={columnsFor(teamId)} rows={sources} idOf={idOf} />;
}

interface NoticeProps {
  readonly unlisted: ObservedSourcesQuery['unlistedSources'];
  /** What follows from it. */
  readonly children: string;
}

export function UnlistedNotice({ unlisted, children }: NoticeProps) {
  const [latest] = unlisted.map(({ lastAt }) => lastAt).toSorted((a, b) => b.localeCompare(a));
  if (latest === undefined) return null;
  return (
    <Alert color="yellow" role="status" title="The list of recent sources is full">
      The key was used from more addresses than are listed. An address that is not listed was last seen{' '}
      <Moment at={latest} />. {children}
    </Alert>
  );
}
