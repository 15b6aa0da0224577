import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import type { ApiError } from '../../api/api-error.ts';
import { LeaveGuard } from '../../components/dialog/leave-guard.tsx';
import { formatNumber } from '../../components/format.ts';
import { useFirstFocus } from '../../components/use-first-focus.ts';
import { countOf, type Key } from './change.ts';
import { type Outcomes, problemIn } from './change-keys.ts';
import { KeyNames } from './key-names.tsx';

interface Props {
  /** The participle, such as `revoked` in "3 keys revoked". */
  readonly done: string;
  readonly keys: readonly Key[];
  readonly outcomes: Outcomes;
  readonly isEnded: boolean;
  readonly isStopped: boolean;
  readonly stop: () => void;
  readonly close: () => void;
  readonly retry: (failed: readonly Key[]) => void;
}

export function ChangeRun({ done, keys, outcomes, isEnded, isStopped, stop, close, retry }: Props) {
  const status = useFirstFocus<HTMLParagraphElement>();
  const problems = new Map([...outcomes].map(([key, outcome]) => [key, problemIn(outcome)]));
  const tried = [...problems.keys()];
  const changed = tried.filter((key) => problems.get(key) === null);
  const failed = tried.filter((key) => problems.get(key) !== null);
  const missing = keys.length - tried.length;
  const isRunning = !isEnded && !isStopped;
  return (
    <>
      {isRunning && (
        <LeaveGuard title="Leave while keys are changed?" text="The change goes on, and its result is not shown." />
      )}
      <Progress value={(tried.length / keys.length) * 100} aria-label="Progress" />
      <Text ref={status} size="sm" role="status" tabIndex={-1} className="announced">
        {countOf(changed)} {done}
        {failed.length > 0 && `, ${formatNumber(failed.length)} failed`}
        {isEnded && missing > 0 && `, ${formatNumber(missing)} not tried`}
        {!isEnded && ` of ${formatNumber(keys.length)}…`}
      </Text>
      {isStopped && !isEnded && (
        <Alert color="yellow" role="alert">
          No further key is changed. The call that was sent before is not answered yet: whether its keys are changed is
          not known.
        </Alert>
      )}
      <KeyNames label="Keys that were not changed" keys={failed} note={(key) => textOf(problems.get(key))} />
      {isEnded && <KeyNames label="Changed keys" keys={changed} note={() => done} />}
      <Group justify="flex-end">
        {isRunning && (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        )}
        {isEnded && failed.length > 0 && (
          <Button variant="default" onClick={() => retry(failed)}>
            Try those again
          </Button>
        )}
        {!isRunning && <Button onClick={close}>Close</Button>}
      </Group>
    </>
  );
}

function textOf(problem: ApiError | null | undefined): string | null {
  if (problem == null) return null;
  const fields = problem.fields.map(({ field, message }) => `${field} ${message}`).join(', ');
  const request = problem.requestId === null ? '' : `(request ${problem.requestId})`;
  return [problem.message, fields, request].filter((part) => part !== '').join(' ');
}
