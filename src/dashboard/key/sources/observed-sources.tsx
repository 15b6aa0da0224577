/** The addresses that a key was recently used from, as the APIs that verified it reported them. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { VerdictCounts } from '../../components/code-link.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
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
              <SourceTable label="Recent sources" sources={sources} />
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

const columns: readonly Column<Source>[] = [
  { name: 'Address', cell: ({ address }) => <span className="breakable">{address}</span> },
  { name: 'Secret', cell: ({ secret }) => secret.toLowerCase() },
  { name: 'First seen', cell: ({ firstAt }) => <Moment at={firstAt} /> },
  { name: 'Last seen', cell: ({ lastAt }) => <Moment at={lastAt} /> },
  { name: 'Verdicts', cell: ({ counts }) => <VerdictCounts counts={counts} /> },
];

export function SourceTable({ label, sources }: { readonly label: string; readonly sources: readonly Source[] }) {
  const idOf = ({ address, secret }: Source) => `${address} ${secret}`;
  return <DataTable label={label} columns={columns} rows={sources} idOf={idOf} />;
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
