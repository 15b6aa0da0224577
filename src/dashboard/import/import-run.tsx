import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { batchesOf, type ImportedKey, importBatch, type ReportEntry } from '../../key-file/import-batches.ts';
import type { ImportLine } from '../../key-file/lines.ts';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { useSubmit } from '../api/use-submit.ts';
import { DataTable } from '../components/data-table.tsx';
import { LeaveGuard } from '../components/dialog/leave-guard.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FocusableButton } from '../components/form/focusable-button.tsx';
import { formatNumber } from '../components/format.ts';
import { Section } from '../components/section.tsx';
import { useAbort } from '../components/use-abort.ts';
import { type ImportKeyInput, ImportKeysDocument } from '../generated/graphql.ts';
import { ImportReport } from './import-report.tsx';

interface Props {
  readonly teamId: string;
  readonly lines: readonly ImportLine[];
  readonly env: string;
  readonly setRunning: (running: boolean) => void;
}

const previewed = 10;

/**
 * Previews the lines, tries them in a dry run, and then imports them in batches, until the first error. Keys that exist
 * are not changed, so that the same lines can be imported again.
 */
export function ImportRun({ teamId, lines, env, setRunning }: Props) {
  const queries = useQueryClient();
  const [report, setReport] = useState<readonly ReportEntry[]>([]);
  const [stopping, setStopping] = useState(false);
  const { begin, abort } = useAbort();
  const run = useSubmit({
    /** Returns whether all lines were processed. */
    mutationFn: async (dryRun: boolean) => {
      const signal = begin();
      setReport([]);
      setStopping(false);
      setRunning(true);
      const send = async (keys: readonly ImportedKey[]) => {
        // The cast is safe, because the server validates the keys.
        const variables = { teamId, dryRun, keys: keys as unknown as ImportKeyInput[] };
        return (await execute(ImportKeysDocument, variables)).importKeys.results;
      };
      for await (const batch of batchesOf(lines, env)) {
        if (signal.aborted) return false;
        const entries = await importBatch(batch, { send, fieldsOf });
        setReport((before) => [...before, ...entries]);
      }
      return true;
    },
    onSettled: (_data, _error, dryRun) => {
      setRunning(false);
      // Not awaited, so that the report is shown even if loading the lists fails.
      if (!dryRun) void queries.invalidateQueries();
    },
  });
  const stop = () => {
    abort();
    setStopping(true);
  };
  const isTried = run.data === true && run.variables;
  const importable = report.filter(({ outcome }) => outcome === 'IMPORTED').length;
  return (
    <Stack>
      <Preview lines={lines} env={env} />
      <Group>
        <FocusableButton variant="default" loading={run.isPending && run.variables} onClick={() => run.submit(true)}>
          Dry run
        </FocusableButton>
        <FocusableButton
          loading={run.isPending && !run.variables}
          // Enabled after a dry run, so that the user sees the result before the import.
          disabled={!isTried || importable === 0}
          onClick={() => run.submit(false)}
        >
          {isTried ? `Import ${formatNumber(importable)} ${importable === 1 ? 'key' : 'keys'}` : 'Import'}
        </FocusableButton>
        {run.isPending && (
          <FocusableButton variant="default" loading={stopping} onClick={stop}>
            Stop
          </FocusableButton>
        )}
        {!isTried && !run.isPending && (
          <Text size="sm" c="dimmed">
            A dry run shows what would be imported.
          </Text>
        )}
      </Group>
      {run.isPending && !run.variables && (
        <LeaveGuard
          title="Leave during the import?"
          text="The import stops. Keys that were imported until then stay, but the report is not shown."
        />
      )}
      {run.isPending && (
        <Progress.Root size="lg">
          <Progress.Section value={(report.length / lines.length) * 100} aria-label="Lines that were processed" />
        </Progress.Root>
      )}
      {run.data === false && (
        <Alert color="yellow" role="status">
          Stopped after {formatNumber(report.length)} of {formatNumber(lines.length)} lines. The others were not sent.
        </Alert>
      )}
      {run.error !== null && <ErrorNotice error={run.error} retry={() => run.submit(run.variables ?? true)} />}
      {report.length > 0 && <ImportReport teamId={teamId} report={report} dryRun={run.variables ?? true} />}
    </Stack>
  );
}

const fieldsOf = (error: unknown) => (error instanceof ApiError ? error.fields : []);

function Preview({ lines, env }: Pick<Props, 'lines' | 'env'>) {
  return (
    <Section title={`${formatNumber(lines.length)} lines`}>
      <DataTable
        label="Preview"
        rows={lines.slice(0, previewed)}
        idOf={({ line }) => line}
        columns={[
          { name: 'Line', cell: ({ line }) => line },
          { name: 'Name', cell: ({ content }) => <span className="breakable">{nameOrProblem(content)}</span> },
          { name: 'Environment', cell: ({ content }) => 'key' in content && String(content.key.env ?? env) },
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
  return 'problem' in content ? content.problem : String(content.key.name ?? '');
}

/** Returns only the names of fields, because a value can be a secret in the wrong field. */
function otherFields(key: Readonly<Record<string, unknown>>): string {
  return Object.keys(key)
    .filter((field) => !['name', 'env', 'digest'].includes(field))
    .join(', ');
}
