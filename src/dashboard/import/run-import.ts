import { batchesOf, type ImportedKey, importBatch, type ReportEntry } from '../../key-file/import-batches.ts';
import type { ImportLine } from '../../key-file/lines.ts';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { type ImportKeyInput, ImportKeysDocument } from '../generated/graphql.ts';

export interface Import {
  readonly teamId: string;
  readonly lines: readonly ImportLine[];
  readonly env: string;
  readonly dryRun: boolean;
  /** When it is aborted, no further batch is sent. */
  readonly signal: AbortSignal;
}

/**
 * Imports the lines in batches, and reports each batch. Stops at the first error. Keys that exist are not changed, so
 * that the same lines can be imported again. Returns whether all lines were processed.
 */
export async function runImport(
  { teamId, lines, env, dryRun, signal }: Import,
  report: (entries: readonly ReportEntry[]) => void,
): Promise<boolean> {
  const send = async (keys: readonly ImportedKey[]) => {
    // The server validates them.
    const variables = { teamId, dryRun, keys: keys as unknown as ImportKeyInput[] };
    return (await execute(ImportKeysDocument, variables)).importKeys.results;
  };
  const fieldsOf = (error: unknown) => (error instanceof ApiError ? error.fields : []);
  for await (const batch of batchesOf(lines, env)) {
    if (signal.aborted) return false;
    report(await importBatch(batch, { send, fieldsOf }));
  }
  return true;
}
