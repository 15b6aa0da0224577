import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string | number;
  /** In pixels. In a narrower window, the table scrolls, also by keyboard. With 0, it never scrolls. */
  readonly minWidth?: number;
}

export function DataTable<Row>({ label, columns, rows, idOf, minWidth = 420 }: Props<Row>) {
  const align = ({ isNumber = false }: Column<Row>) => (isNumber ? 'right' : 'left');
  const table = (
    <Table fz="sm" verticalSpacing={4} aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.name} ta={align(column)}>
              {column.name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={idOf(row)}>
            {columns.map((column) => (
              <Table.Td key={column.name} ta={align(column)}>
                {column.cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
  if (minWidth === 0) return table;
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': label } }}
    >
      {table}
    </Table.ScrollContainer>
  );
}
