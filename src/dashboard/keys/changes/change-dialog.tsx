/** Changes several keys: shows which ones, waits for confirmation, then shows progress and results. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { QueryResult } from '../../components/loading/query-result.tsx';
import type { ChangeKind } from './change.ts';
import { changes, type Details, type Key, noDetails } from './change.ts';
import { ChangePlan } from './change-plan.tsx';
import { ChangeRun } from './change-run.tsx';
import { readTargets, type Target } from './read-targets.ts';

export interface ChangeRequest {
  readonly kind: ChangeKind;
  readonly target: Target;
}

interface Props {
  readonly teamId: string;
  readonly request: ChangeRequest;
  /** @param started whether keys may have been changed */
  readonly close: (started: boolean) => void;
}

export function ChangeDialog({ teamId, request, close }: Props) {
  const [target, setTarget] = useState(request.target);
  const [attempt, setAttempt] = useState(1);
  const [details, setDetails] = useState<Details>(noDetails);
  const [started, setStarted] = useState<readonly Key[] | null>(null);
  const [running, setRunning] = useState(false);
  const change = changes[request.kind];
  const query = useQuery({
    queryKey: ['change', request.kind, target, attempt],
    queryFn: ({ signal }) => readTargets(target, signal),
    // Read once for each dialog, because the user confirms what it shows.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const retry = (failed: readonly Key[]) => {
    setTarget({ ids: failed.map(({ id }) => id) });
    // Reads the keys again: the reason for the failure may be that they were changed.
    setAttempt(attempt + 1);
    setStarted(null);
  };
  return (
    <Dialog opened title={`${change.verb} keys`} close={running ? undefined : () => close(started !== null)}>
      <Stack gap="sm">
        {started === null ? (
          <QueryResult query={query}>
            {(found) => (
              <ChangePlan
                kind={request.kind}
                found={found}
                cancel={() => close(false)}
                details={details}
                setDetails={setDetails}
                start={(keys) => {
                  setRunning(true);
                  setStarted(keys);
                }}
              />
            )}
          </QueryResult>
        ) : (
          <ChangeRun
            teamId={teamId}
            change={change}
            keys={started}
            details={details}
            close={() => close(true)}
            retry={retry}
            ended={() => setRunning(false)}
          />
        )}
      </Stack>
    </Dialog>
  );
}
