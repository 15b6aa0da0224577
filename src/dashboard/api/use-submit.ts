import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * Runs a call that the user submits. Further submits are ignored until the page shows the result. Disabling the button
 * is not enough: a busy page handles the second click of a double click before it draws the disabled button. That click
 * could create a second secret and hide the first.
 */
export function useSubmit<Result, Input = void>(options: UseMutationOptions<Result, Error, Input>) {
  const { mutate, mutateAsync: _, ...state } = useMutation(options);
  const running = useRef(false);
  // Set in an effect, because the page does not show the result yet when the call ends.
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
