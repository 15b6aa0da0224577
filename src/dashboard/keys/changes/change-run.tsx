import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { formatNumber } from '../../components/format.ts';
import { useFirstFocus } from '../../components/use-first-focus.ts';
import type { Change, Details, Key } from './change.ts';
import { countOf } from './change-plan.tsx';
import { KeyNames } from './key-names.tsx';
import { runInBatches } from './run-batches.ts';

interface Props {
  readonly teamId: string;
  readonly change: Change;
  readonly keys: readonly Key[];
  readonly details: Details;
  readonly ended: () => void;
  readonly close: () => void;
  readonly retry: (failed: readonly Key[]) => void;
}

interface Results {
  readonly changed: readonly Key[];
  readonly failed: ReadonlyMap<Key, unknown>;
  readonly ended: boolean;
}

export function ChangeRun({ teamId, change, keys, details, ended, close, retry }: Props) {
  const [results, setResults] = useState<Results>({ changed: [], failed: new Map(), ended: false });
  const stop = useRef(new AbortController());
  const [stopped, setStopped] = useState(false);
  const queries = useQueryClient();
  const started = useRef(false);
  const status = useFirstFocus<HTMLParagraphElement>();

  useEffect(() => {
    // Effects run twice during development; changes must not.
    if (started.current) return;
    started.current = true;
    void runInBatches({
      teamId,
      change,
      details,
      keys,
      signal: stop.current.signal,
      onEnd: (outcomes) =>
        setResults((before) => ({
          ...before,
          changed: [...before.changed, ...[...outcomes].flatMap(([key, problem]) => (problem === null ? [key] : []))],
          failed: new Map([...before.failed, ...[...outcomes].filter(([, problem]) => problem !== null)]),
        })),
    }).then(() => {
      setResults((before) => ({ ...before, ended: true }));
      ended();
      void queries.invalidateQueries({ predicate: ({ queryKey }) => !['viewer', 'change'].includes(`${queryKey[0]}`) });
    });
  }, [teamId, keys, change, details, ended, queries]);

  const end = () => {
    stop.current.abort();
    setStopped(true);
    ended();
  };
  const { changed, failed } = results;
  const missing = keys.length - changed.length - failed.size;
  return (
    <>
      {!results.ended && !stopped && (
        <LeaveGuard title="Leave while keys are changed?" text="The change goes on, and its result is not shown." />
      )}
      <Progress value={((changed.length + failed.size) / keys.length) * 100} aria-label="Progress" />
      <Text ref={status} size="sm" role="status" tabIndex={-1} className="announced">
        {countOf(changed)} {change.done}
        {failed.size > 0 && `, ${formatNumber(failed.size)} failed`}
        {results.ended
          ? missing > 0
            ? `, ${formatNumber(missing)} not tried`
            : ''
          : ` of ${formatNumber(keys.length)}…`}
      </Text>
      {stopped && !results.ended && (
        <Alert color="yellow" role="alert">
          No further key is changed. The call that was sent before is not answered yet: whether its keys are changed is
          not known.
        </Alert>
      )}
      <KeyNames
        label="Keys that were not changed"
        keys={[...failed.keys()]}
        note={(key) => problemOf(failed.get(key))}
      />
      {results.ended && <KeyNames label="Changed keys" keys={changed} note={() => change.done} />}
      <Group justify="flex-end">
        {!results.ended && !stopped && (
          <Button variant="default" onClick={end}>
            Stop
          </Button>
        )}
        {results.ended && failed.size > 0 && (
          <Button variant="default" onClick={() => retry([...failed.keys()])}>
            Try those again
          </Button>
        )}
        {(results.ended || stopped) && <Button onClick={close}>Close</Button>}
      </Group>
    </>
  );
}

function problemOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  const fields = error.fields.map(({ field, message }) => `${field} ${message}`).join(', ');
  return `${error.message}${fields === '' ? '' : ` ${fields}`}${error.requestId === null ? '' : ` (request ${error.requestId})`}`;
}
