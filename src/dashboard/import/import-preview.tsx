import { Text } from '@mantine/core';
import type { ImportLine } from '../../key-file/lines.ts';
import { DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { Section } from '../components/section.tsx';

interface Props {
  readonly lines: readonly ImportLine[];
  readonly env: string;
}

const previewed = 10;

export function ImportPreview({ lines, env }: Props) {
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
