import { Text } from '@mantine/core';
import { execute } from '../api/execute.ts';
import { VerdictCounts } from '../components/code-link.tsx';
import { DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import { RejectedKeysDocument } from '../generated/graphql.ts';
import { ByPeriod } from './by-period.tsx';

export function RejectedKeys({ teamId }: { readonly teamId: string }) {
  const read = async (from: Date, to: Date, signal: AbortSignal) => {
    const period = { from: from.toISOString(), to: to.toISOString() };
    return (await execute(RejectedKeysDocument, { teamId, ...period }, signal)).rejectedKeys;
  };
  return (
    <ByPeriod parameter="rejected" initial="24h" queryKey={['rejected-keys', teamId]} read={read}>
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
                  <TextLink
                    to="/teams/$teamId/keys/$keyId"
                    params={{ teamId, keyId: id }}
                    search={{ tab: 'overview' }}
                    className="breakable"
                  >
                    {name}
                  </TextLink>
                ),
              },
              { name: 'Rejected', isNumber: true, cell: ({ count }) => formatNumber(count) },
              {
                name: 'Verdicts',
                cell: ({ counts }) => <VerdictCounts counts={counts} />,
              },
            ]}
          />
        )
      }
    </ByPeriod>
  );
}
