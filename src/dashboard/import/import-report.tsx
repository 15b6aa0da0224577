import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { csvOf } from '../../key-file/csv.ts';
import { type ReportEntry, reasonOf } from '../../key-file/import-batches.ts';
import { DataTable } from '../components/data-table.tsx';
import { TextLink } from '../components/links.tsx';
import { saveFile } from '../components/save-file.ts';

interface Props {
  readonly teamId: string;
  readonly report: readonly ReportEntry[];
  readonly dryRun: boolean;
}

const rowsAtOnce = 200;

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
      <DataTable
        label="Report"
        rows={ordered.slice(0, shown)}
        idOf={({ line }) => line}
        columns={[
          { name: 'Line', cell: ({ line }) => line },
          { name: 'Result', cell: (entry) => <span className="breakable">{resultOf(entry, dryRun)}</span> },
          {
            name: 'Key',
            cell: ({ id, prefix }) =>
              id !== undefined && (
                <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: id }}>
                  {prefix}
                </TextLink>
              ),
          },
        ]}
      />
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

function resultOf(entry: ReportEntry, dryRun: boolean): string {
  if (entry.outcome === 'IMPORTED') return dryRun ? 'would be imported' : 'imported';
  if (entry.outcome === 'EXISTED') return 'existed already';
  return `rejected: ${reasonOf(entry)}`;
}
