/** Changes several keys: lists the keys, waits for confirmation, then shows progress and results. */
import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSubmit } from '../../api/use-submit.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { type ChangeKind, changes, type Key, noDetails } from './change.ts';
import { type Outcomes, runInBatches, type Target } from './change-keys.ts';
import { ChangePlan } from './change-plan.tsx';
import { ChangeRun } from './change-run.tsx';

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

interface Run {
  readonly keys: readonly Key[];
  readonly stop: AbortController;
}

export function ChangeDialog({ teamId, request, close }: Props) {
  const queries = useQueryClient();
  const [target, setTarget] = useState(request.target);
  const [details, setDetails] = useState(noDetails);
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [isStopped, setStopped] = useState(false);
  const change = changes[request.kind];
  const run = useSubmit({
    mutationFn: async ({ keys, stop }: Run) => {
      setOutcomes(new Map());
      setStopped(false);
      const onEnd = (batch: Outcomes) => setOutcomes((before) => new Map([...before, ...batch]));
      await runInBatches({ teamId, change, details, keys, signal: stop.signal, onEnd });
    },
    onSettled: () =>
      void queries.invalidateQueries({ predicate: ({ queryKey }) => !['viewer', 'change'].includes(`${queryKey[0]}`) }),
  });
  const started = run.variables;
  const stop = () => {
    started?.stop.abort();
    setStopped(true);
  };
  const retry = (failed: readonly Key[]) => {
    setTarget({ ids: failed.map(({ id }) => id) });
    run.reset();
  };
  const isClosable = !run.isPending || isStopped;
  return (
    <Dialog opened title={`${change.verb} keys`} close={isClosable ? () => close(started !== undefined) : undefined}>
      <Stack gap="sm">
        {started === undefined ? (
          <ChangePlan
            kind={request.kind}
            target={target}
            cancel={() => close(false)}
            details={details}
            setDetails={setDetails}
            start={(keys) => run.submit({ keys, stop: new AbortController() })}
          />
        ) : (
          <ChangeRun
            done={change.done}
            keys={started.keys}
            outcomes={outcomes}
            isEnded={!run.isPending}
            isStopped={isStopped}
            stop={stop}
            close={() => close(true)}
            retry={retry}
          />
        )}
      </Stack>
    </Dialog>
  );
}
