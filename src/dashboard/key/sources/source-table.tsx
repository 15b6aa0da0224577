import { Checkbox, Table } from '@mantine/core';
import { formatNumber } from '../../components/format.ts';
import { Moment } from '../../components/moment.tsx';
import type { ObservedSourcesQuery, SecretStanding } from '../../generated/graphql.ts';

export type Source = ObservedSourcesQuery['observedSources'][number];

interface Props {
  readonly label: string;
  readonly sources: readonly Source[];
  /** Absent if sources can't be selected. */
  readonly selection?: { readonly chosen: ReadonlySet<string>; readonly toggle: (address: string) => void };
}

const standings: Readonly<Record<SecretStanding, string>> = {
  CURRENT: 'current',
  PREVIOUS: 'previous',
  EARLIER: 'earlier',
};

/** The addresses from which a key was presented, with the verdicts. */
export function SourceTable({ label, sources, selection }: Props) {
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': label } }}>
      <Table fz="sm" verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {selection !== undefined && <Table.Th>Allow</Table.Th>}
            <Table.Th>Address</Table.Th>
            <Table.Th>Secret</Table.Th>
            <Table.Th>First seen</Table.Th>
            <Table.Th>Last seen</Table.Th>
            <Table.Th>Verdicts</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sources.map(({ address, secret, firstAt, lastAt, counts }) => (
            <Table.Tr key={`${address} ${secret}`}>
              {selection !== undefined && (
                <Table.Td>
                  <Checkbox
                    aria-label={`Allow ${address}`}
                    checked={selection.chosen.has(address)}
                    onChange={() => selection.toggle(address)}
                  />
                </Table.Td>
              )}
              <Table.Td className="breakable">{address}</Table.Td>
              <Table.Td>{standings[secret]}</Table.Td>
              <Table.Td>
                <Moment at={firstAt} />
              </Table.Td>
              <Table.Td>
                <Moment at={lastAt} />
              </Table.Td>
              <Table.Td>{counts.map(({ code, count }) => `${code} ${formatNumber(count)}`).join(', ')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
