/** The lines of an import: a preview before, and a report after it. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { csvOf } from '../../key-file/csv.ts';
import { type ImportReportEntry, Rejections, reasonOf } from '../../key-file/import-batches.ts';
import type { ImportLine } from '../../key-file/lines.ts';
import { DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { TextLink } from '../components/links.tsx';
import { saveFile } from '../components/save-file.ts';
import { Section } from '../components/section.tsx';

interface Props {
  readonly teamId: string;
  readonly report: readonly ImportReportEntry[];
  readonly dryRun: boolean;
}

const previewed = 10;
const rowsAtOnce = 200;

/** A line, or the lines that were rejected for one reason. */
interface Row {
  readonly lines: string;
  readonly result: string;
  readonly key?: ImportReportEntry;
}

/** The result of each line, rejected lines first. */
export function ImportReport({ teamId, report, dryRun }: Props) {
  const [shown, setShown] = useState(rowsAtOnce);
  const isDone = ({ outcome }: ImportReportEntry) => outcome === 'IMPORTED' || outcome === 'EXISTED';
  const rejected = report.filter((entry) => !isDone(entry));
  const rejections = new Rejections();
  for (const entry of rejected) rejections.add(entry);
  const rows: readonly Row[] = [
    ...rejections.all.map(({ reason, lines, count: many }) => ({
      lines,
      result: `rejected${many === 1 ? '' : ` (${formatNumber(many)} lines)`}: ${reason}`,
    })),
    ...report
      .filter(isDone)
      .map((entry) => ({ lines: String(entry.line), result: resultOf(entry, dryRun), key: entry })),
  ];
  const count = (outcome: ImportReportEntry['outcome']) => report.filter((entry) => entry.outcome === outcome).length;
  const save = () => {
    const lines = report.map((entry) => [entry.line, resultOf(entry, dryRun), entry.id, entry.prefix]);
    const text = csvOf([['line', 'result', 'key', 'prefix'], ...lines]);
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
        rows={rows.slice(0, shown)}
        idOf={({ lines }) => lines}
        columns={[
          { name: 'Line', cell: ({ lines }) => lines },
          { name: 'Result', cell: ({ result }) => <span className="breakable">{result}</span> },
          {
            name: 'Key',
            cell: ({ key }) =>
              key?.id !== undefined && (
                <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: key.id }}>
                  {key.prefix}
                </TextLink>
              ),
          },
        ]}
      />
      <Group>
        {rows.length > shown && (
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

function resultOf(entry: ImportReportEntry, dryRun: boolean): string {
  if (entry.outcome === 'IMPORTED') return dryRun ? 'would be imported' : 'imported';
  if (entry.outcome === 'EXISTED') return 'existed already';
  return `rejected: ${reasonOf(entry)}`;
}

export function ImportPreview({ lines, env }: { readonly lines: readonly ImportLine[]; readonly env: string }) {
  return (
    <Section title={`${formatNumber(lines.length)} lines`}>
      <DataTable
        label="Preview"
        rows={lines.slice(0, previewed)}
        idOf={({ line }) => line}
        columns={[
          { name: 'Line', cell: ({ line }) => line },
          { name: 'Name', cell: ({ content }) => <span className="breakable">{nameOrProblem(content)}</span> },
          { name: 'Environment', cell: ({ content }) => 'key' in content && textOf(content.key.env ?? env) },
          { name: 'Other fields', cell: ({ content }) => 'key' in content && otherFields(content.key) },
        ]}
      />
      {lines.length > previewed && (
        <Text size="sm" c="dimmed">
          The first {previewed} are shown.
        </Text>
      )}
    </Section>
  );
}

function nameOrProblem(content: ImportLine['content']): string {
  return 'problem' in content ? content.problem : textOf(content.key.name);
}

/** Returns nothing for other types, which the server rejects: an object can lack a conversion to text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns only the names of fields, because a value can be a secret in the wrong field. */
function otherFields(key: Readonly<Record<string, unknown>>): string {
  return Object.keys(key)
    .filter((field) => !['name', 'env', 'digest'].includes(field))
    .join(', ');
}
