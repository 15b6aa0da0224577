import { useEffect } from 'react';
import { ExportProgress, useExport } from '../../components/csv-export.tsx';
import { filterOf } from '../filter/key-filter.ts';
import type { KeyQuery } from '../filter/key-query.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly close: () => void;
}

/** Exports the keys that match the filter, as soon as it is shown, and shows the progress. */
export function KeyExport({ teamId, query: { chosen, orderBy }, close }: Props) {
  const run = useExport({
    name: 'keys.csv',
    read: async (signal, onProgress) => {
      const { exportKeys } = await import('./export-keys.ts');
      return exportKeys({ teamId, filter: filterOf(chosen), orderBy, signal, onProgress });
    },
  });
  const { start, isSuccess } = run;

  useEffect(() => start(), [start]);

  useEffect(() => {
    if (isSuccess) close();
  }, [isSuccess, close]);

  return <ExportProgress what="keys" run={run} close={close} />;
}
