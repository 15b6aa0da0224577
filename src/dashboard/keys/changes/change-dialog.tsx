/** Changes several keys: lists the keys, waits for confirmation, then shows progress, and what failed. */
import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { reloadKeys } from '../../api/query-client.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { usePolicies } from '../../policy/policy.ts';
import { type ChangeKind, changes, type Details, type Key, noDetails } from './change.ts';
import { type Outcomes, problemIn, runInBatches, type Target } from './change-keys.ts';
import { ChangePlan } from './change-plan.tsx';
import { ChangeRun } from './change-run.tsx';
import { announce } from './quick-change.ts';

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
  readonly details: Details;
  readonly stop: AbortController;
}

export function ChangeDialog({ teamId, request: { kind, target: requested }, close }: Props) {
  const [target, setTarget] = useState(requested);
  const form = useForm({ initialValues: noDetails });
  const { policies, isLoading } = usePolicies(teamId);
  const details = { ...form.values, policies };
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [isStopped, setStopped] = useState(false);
  const change = changes[kind];
  const end = (outcomes: Outcomes, details: Details) => {
    announce({ teamId, kind, details, outcomes });
    close(true);
  };
  const run = useSubmit({
    mutationFn: async ({ keys, details, stop }: Run) => {
      setOutcomes(new Map());
      setStopped(false);
      return await runInBatches({ teamId, change, details, keys, signal: stop.signal, onEnd: setOutcomes });
    },
    onSuccess: (ended, { keys, details }) => {
      const isComplete = ended.size === keys.length && [...ended.values()].every((one) => problemIn(one) === null);
      if (isComplete) end(ended, details);
    },
    onSettled: () => void reloadKeys(),
  });
  const started = run.variables;
  const stop = () => {
    started?.stop.abort();
    setStopped(true);
  };
  const retry = (failed: readonly Key[]) => {
    // What was changed can be undone, whatever becomes of the other keys.
    announce({ teamId, kind, details, outcomes });
    setTarget({ ids: failed.map(({ id }) => id) });
    run.reset();
  };
  const leave = () => (started === undefined ? close(false) : end(outcomes, started.details));
  return (
    <Dialog opened title={`${change.verb} keys`} close={run.isPending && !isStopped ? undefined : leave}>
      <Stack gap="sm">
        {started === undefined ? (
          <ChangePlan
            kind={kind}
            target={target}
            cancel={leave}
            form={form}
            details={details}
            isPolicyLoading={isLoading}
            start={(keys) => run.submit({ keys, details, stop: new AbortController() })}
          />
        ) : (
          <ChangeRun
            done={change.done}
            keys={started.keys}
            outcomes={outcomes}
            isEnded={!run.isPending}
            isStopped={isStopped}
            stop={stop}
            close={leave}
            retry={retry}
          />
        )}
      </Stack>
    </Dialog>
  );
}
