/** Exports entries of the server as CSV. Stops when the user cancels the export or leaves the page. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useSubmit } from '../api/use-submit.ts';
import { ErrorNotice } from './error-notice.tsx';
import { formatNumber } from './format.ts';
import { saveFile } from './save-file.ts';
import { useAbort } from './use-abort.ts';

interface Export {
  readonly name: string;
  /** Returns the text of the file. Reports the number of entries that were read so far. */
  readonly read: (signal: AbortSignal, onProgress: (count: number) => void) => Promise<string>;
}

export function useExport({ name, read }: Export) {
  const [count, setCount] = useState(0);
  const { begin, abort } = useAbort();
  const { submit, reset, error, isPending, isSuccess } = useSubmit({
    mutationFn: async () => {
      const signal = begin();
      setCount(0);
      const text = await read(signal, setCount);
      if (!signal.aborted) saveFile({ name, type: 'text/csv', text });
    },
  });
  const cancel = () => {
    abort();
    reset();
  };
  return { start: submit, cancel, count, error, isPending, isSuccess };
}

interface Props {
  readonly what: string;
  readonly run: Pick<ReturnType<typeof useExport>, 'start' | 'count' | 'error'>;
  readonly close: () => void;
}

export function ExportProgress({ what, run: { start, count, error }, close }: Props) {
  return (
    <Group gap="xs">
      {error === null ? (
        <Text size="sm" role="status">
          Exporting: {formatNumber(count)} {what}…
        </Text>
      ) : (
        <ErrorNotice error={error} retry={() => start()} />
      )}
      <Button size="compact-sm" variant="default" onClick={close}>
        {error === null ? 'Cancel' : 'Close'}
      </Button>
    </Group>
  );
}
