import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.ts';
import { filterOf } from './key-filter.ts';
import type { KeyQuery } from './key-query.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly close: () => void;
}

/** Exports the keys that match the filter, as soon as it is shown, and shows the progress. */
export function KeyExport({ teamId, query, close }: Props) {
  const [count, setCount] = useState(0);
  const stop = useRef(new AbortController());
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { exportKeys, saveFile } = await import('./export-keys.ts');
      const { signal } = stop.current;
      const { chosen, orderBy } = query;
      const text = await exportKeys({ teamId, filter: filterOf(chosen), orderBy, signal, onProgress: setCount });
      if (!signal.aborted) saveFile('keys.csv', text);
    },
    onSuccess: close,
  });

  useEffect(() => mutate(), [mutate]);

  const cancel = () => {
    stop.current.abort();
    close();
  };
  if (error !== null) return <ErrorNotice error={error} retry={mutate} retrying={isPending} />;
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        Exporting: {formatNumber(count)} keys…
      </Text>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  );
}
