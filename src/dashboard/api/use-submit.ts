import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * Runs a call that the user submits, one at a time: a submit is ignored until the page shows the result of the one
 * before it. Disabling the button is not enough. A busy page shows that, and also the result, later than it handles the
 * second click of a double click, which would create a second secret and hide the first one.
 */
export function useSubmit<Result, Input = void>(options: UseMutationOptions<Result, Error, Input>) {
  const { mutate, mutateAsync: _, ...state } = useMutation(options);
  const running = useRef(false);
  // Not when the call ends: the page does not show its result yet.
  useLayoutEffect(() => {
    running.current = state.isPending;
  });
  const submit: typeof mutate = useCallback(
    (...input) => {
      if (running.current) return;
      running.current = true;
      mutate(...input);
    },
    [mutate],
  );
  return { ...state, submit };
}
