import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { execute } from '../api/execute.ts';
import { CodeLink } from '../components/code-link.tsx';
import { DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import { QueryView } from '../components/query-view.tsx';
import { RejectedKeysDocument } from '../generated/graphql.ts';
import type { ChosenPeriod } from './period.tsx';
import { labelOf, periodOfBar, type Span, verdictName } from './usage-bars.ts';

interface Props extends Pick<ChosenPeriod, 'bar' | 'chooseBar'> {
  readonly teamId: string;
  readonly span: Span;
}

/** The keys behind the rejected verifications of a period, or of the hour or day that was chosen in its chart. */
export function RejectedKeys({ teamId, span, bar, chooseBar }: Props) {
  const { from, to } = bar === null ? span : periodOfBar(bar, span.step);
  const query = useQuery({
    queryKey: ['rejected-keys', teamId, from.getTime(), to.getTime()],
    queryFn: async ({ signal }) => {
      const period = { from: from.toISOString(), to: to.toISOString() };
      return (await execute(RejectedKeysDocument, { teamId, ...period }, signal)).rejectedKeys;
    },
    refetchInterval: 30_000,
  });
  return (
    <>
      {bar !== null && (
        <Group gap="xs">
          <Text role="status">Only {labelOf(bar, span.step)}.</Text>
          <Button size="compact-sm" variant="default" onClick={() => chooseBar(null)}>
            Show the whole period
          </Button>
        </Group>
      )}
      <QueryView query={query}>
        {(rejected) =>
          rejected.length === 0 ? (
            <Text role="status">No key was rejected in this time.</Text>
          ) : (
            <DataTable
              label="Rejected keys"
              rows={rejected}
              idOf={({ apiKey }) => apiKey.id}
              columns={[
                {
                  name: 'Key',
                  cell: ({ apiKey: { id, name } }) => (
                    <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: id }} className="breakable">
                      {name}
                    </TextLink>
                  ),
                },
                { name: 'Rejected', isNumber: true, cell: ({ count }) => formatNumber(count) },
                {
                  name: 'Verdicts',
                  cell: ({ counts }) =>
                    counts.map(({ code, count }, i) => (
                      <Fragment key={code}>
                        {i > 0 && ', '}
                        <CodeLink code={code}>{verdictName(code)}</CodeLink> {formatNumber(count)}
                      </Fragment>
                    )),
                },
              ]}
            />
          )
        }
      </QueryView>
    </>
  );
}
