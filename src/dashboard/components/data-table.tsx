import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import './data-table.css';

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
}

export function DataTable<Row>({ label, columns, rows, idOf }: Props<Row>) {
  return (
    <div className="data-table">
      <Table fz="sm" verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, isNumber = false }) => (
              <Table.Th key={name} data-number={isNumber}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={idOf(row)}>
              {columns.map(({ name, isNumber = false, cell }) => (
                <Table.Td key={name} data-label={name} data-number={isNumber}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
