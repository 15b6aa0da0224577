import { useEffect } from 'react';
import { cellsOf, exportColumns } from '../../../key-file/columns.ts';
import { csvOf } from '../../../key-file/csv.ts';
import { execute } from '../../api/execute.ts';
import { readPages } from '../../api/read-pages.ts';
import { ExportProgress, useExport } from '../../components/csv-export.tsx';
import { ExportedKeysDocument } from '../../generated/graphql.ts';
import { filterOf } from '../filter/key-filter.ts';
import type { KeyQuery } from '../filter/key-query.ts';

/** As many as the maximum cost of an operation permits. */
const pageSize = 100;

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly close: () => void;
}

/** Exports all pages of the list as soon as it is shown, and shows the progress. */
export function KeyExport({ teamId, query: { chosen, orderBy }, close }: Props) {
  const run = useExport({
    name: 'keys.csv',
    read: async (signal, onProgress) => {
      const filter = filterOf(chosen);
      const readPage = async (after: string | null) =>
        (await execute(ExportedKeysDocument, { teamId, filter, orderBy, first: pageSize, after }, signal)).keys;
      return csvOf([exportColumns, ...(await readPages(readPage, onProgress)).map(cellsOf)]);
    },
  });
  const { start, isSuccess } = run;
  useEffect(() => start(), [start]);
  useEffect(() => {
    if (isSuccess) close();
  }, [isSuccess, close]);

  return <ExportProgress what="keys" run={run} close={close} />;
}
