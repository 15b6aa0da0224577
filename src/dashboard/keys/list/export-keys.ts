/** The export of a list of keys as CSV: all pages, without secrets. */

import { cellsOf, exportColumns } from '../../../key-file/columns.ts';
import { csvOf } from '../../../key-file/csv.ts';
import { execute } from '../../api/execute.ts';
import { readPages } from '../../api/read-pages.ts';
import { ExportedKeysDocument, type KeyFilter, type KeyOrder } from '../../generated/graphql.ts';

/** As many as the maximum cost of an operation permits. */
const pageSize = 100;

interface Export {
  readonly teamId: string;
  readonly filter: KeyFilter;
  readonly orderBy: KeyOrder;
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

export async function exportKeys({ teamId, filter, orderBy, signal, onProgress }: Export): Promise<string> {
  const keys = await readPages(async (after) => {
    const variables = { teamId, filter, orderBy, first: pageSize, after };
    return (await execute(ExportedKeysDocument, variables, signal)).keys;
  }, onProgress);
  return csvOf([exportColumns, ...keys.map(cellsOf)]);
}
