import { Alert, Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { csvOf } from '../../key-file/csv.ts';
import { type ReportEntry, reasonOf } from '../../key-file/import-batches.ts';
import { saveFile } from '../components/save-file.ts';

interface Props {
  readonly teamId: string;
  readonly report: readonly ReportEntry[];
  readonly dryRun: boolean;
}

const rowsAtOnce = 200;

/** The outcome of each line, rejected ones first. */
export function ImportReport({ teamId, report, dryRun }: Props) {
  const [shown, setShown] = useState(rowsAtOnce);
  const isDone = ({ outcome }: ReportEntry) => outcome === 'IMPORTED' || outcome === 'EXISTED';
  const rejected = report.filter((entry) => !isDone(entry));
  const ordered = [...rejected, ...report.filter(isDone)];
  const count = (outcome: ReportEntry['outcome']) => report.filter((entry) => entry.outcome === outcome).length;
  const save = () => {
    const rows = report.map((entry) => [
      String(entry.line),
      resultOf(entry, dryRun),
      entry.id ?? '',
      entry.prefix ?? '',
    ]);
    const text = csvOf([['line', 'result', 'key', 'prefix'], ...rows]);
    saveFile({ name: 'import-report.csv', type: 'text/csv', text });
  };
  return (
    <Stack gap="sm">
      <Alert role="status" color={rejected.length === 0 ? 'green' : 'yellow'} title={dryRun ? 'Dry run' : 'Import'}>
        {count('IMPORTED')} {dryRun ? 'would be imported' : 'imported'}, {count('EXISTED')} existed already,{' '}
        {rejected.length} rejected
      </Alert>
      <ReportTable teamId={teamId} entries={ordered.slice(0, shown)} dryRun={dryRun} />
      <Group>
        {ordered.length > shown && (
          <Button variant="default" onClick={() => setShown(shown + rowsAtOnce)}>
            Show more lines
          </Button>
        )}
        <Button variant="default" onClick={save}>
          Save the report as CSV
        </Button>
        <Text size="sm" c="dimmed">
          Keys that the team already has are not changed: the same lines can be imported again.
        </Text>
      </Group>
    </Stack>
  );
}

interface TableProps {
  readonly teamId: string;
  readonly entries: readonly ReportEntry[];
  readonly dryRun: boolean;
}

function ReportTable({ teamId, entries, dryRun }: TableProps) {
  return (
    <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Report' } }}>
      <Table fz="sm" verticalSpacing={4} aria-label="Report">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th>Key</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.line}>
              <Table.Td>{entry.line}</Table.Td>
              <Table.Td className="breakable">{resultOf(entry, dryRun)}</Table.Td>
              <Table.Td>
                {entry.id !== undefined && (
                  <Anchor component={Link} to={`/teams/${teamId}/keys/${entry.id}`} underline="always" size="sm">
                    {entry.prefix}
                  </Anchor>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function resultOf(entry: ReportEntry, dryRun: boolean): string {
  if (entry.outcome === 'IMPORTED') return dryRun ? 'would be imported' : 'imported';
  if (entry.outcome === 'EXISTED') return 'existed already';
  return `rejected: ${reasonOf(entry)}`;
}
