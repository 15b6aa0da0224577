/**
 * An import: a dry run, and then the import in batches, until the first error. Keys that exist are not changed, so that
 * the same lines can be imported again.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { batchesOf, type ImportedKey, type ImportReportEntry, importBatch } from '../../key-file/import-batches.ts';
import type { ImportLine } from '../../key-file/lines.ts';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { useServerForm } from '../components/form/use-server-form.ts';
import { useAbort } from '../components/use-abort.ts';
import { type ImportKeyInput, ImportKeysDocument } from '../generated/graphql.ts';
import { readLines } from './read-lines.ts';

interface Input {
  readonly text: string;
  /** Null if the text was pasted. */
  readonly file: File | null;
  readonly env: string;
  readonly dryRun: boolean;
}

interface ImportReport {
  readonly dryRun: boolean;
  readonly entries: readonly ImportReportEntry[];
}

const nothing: Input = { text: '', file: null, env: 'live', dryRun: true };
const noReport: ImportReport = { dryRun: true, entries: [] };

export function useImport(teamId: string) {
  const queries = useQueryClient();
  const [report, setReport] = useState(noReport);
  const [isStopping, setStopping] = useState(false);
  const { begin, abort } = useAbort();
  const form = useServerForm({
    initialValues: nothing,
    // A report is about the lines that were sent.
    onValuesChange: () => setReport(noReport),
    /** Returns whether all lines were processed. */
    send: async ({ env, dryRun }) => {
      const signal = begin();
      setReport({ dryRun, entries: [] });
      setStopping(false);
      const send = async (keys: readonly ImportedKey[]) => {
        // The cast is safe, because the server validates the keys.
        const variables = { teamId, dryRun, keys: keys as unknown as ImportKeyInput[] };
        return (await execute(ImportKeysDocument, variables)).importKeys.results;
      };
      try {
        for await (const batch of batchesOf(read.lines, env)) {
          if (signal.aborted) return false;
          const entries = await importBatch(batch, { send, fieldsOf });
          setReport((before) => ({ dryRun, entries: [...before.entries, ...entries] }));
        }
      } finally {
        // Not awaited, so that the report is shown even if loading the lists fails.
        if (!dryRun) void queries.invalidateQueries();
      }
      return true;
    },
  });
  const { text } = form.values;
  const read = useMemo(() => linesIn(text), [text]);
  const stop = () => {
    abort();
    setStopping(true);
  };
  const isTried = form.data === true && report.dryRun && report.entries.length > 0;
  return { form, read, report, isTried, isStopping, stop };
}

const fieldsOf = (error: unknown) => (error instanceof ApiError ? error.fields : []);

interface Read {
  readonly lines: readonly ImportLine[];
  readonly problem?: string;
}

function linesIn(text: string): Read {
  try {
    return { lines: text.trim() === '' ? [] : readLines(text) };
  } catch (error) {
    return { lines: [], problem: error instanceof Error ? error.message : String(error) };
  }
}
