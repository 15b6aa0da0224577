import { Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Actions } from './actions.tsx';
import { isElsewhere } from './field-problems.ts';

interface Props {
  /** Sends the input, unless a field is invalid. Such fields then show it. */
  readonly submit: () => void;
  /** Why the last submit failed. Absent if the server is not asked. */
  readonly error?: unknown;
  readonly notice?: ReactNode;
  readonly fields?: readonly string[];
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly justify?: 'flex-end';
}

/**
 * A form whose failed submits are seen: the first invalid field gets the focus, whether the page or the server found it
 * invalid. What is about no field is shown beside the buttons.
 */
export function Form({ submit, error, notice, fields = [], children, actions, justify }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [submits, setSubmits] = useState(0);
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
    setSubmits(submits + 1);
  };

  useEffect(() => {
    if (submits > 0) focusInvalid(form.current);
  }, [submits]);
  useEffect(() => {
    if (error != null) focusInvalid(form.current);
  }, [error]);

  return (
    <form ref={form} onSubmit={send} noValidate>
      <Stack gap="sm">
        {children}
        {actions !== undefined && (
          <Actions
            error={isElsewhere(error, fields) ? error : null}
            notice={notice}
            {...(justify === undefined ? {} : { justify })}
          >
            {actions}
          </Actions>
        )}
      </Stack>
    </form>
  );
}

function focusInvalid(form: HTMLFormElement | null): void {
  const invalid = form?.querySelector<HTMLElement>('[aria-invalid=true]');
  if (invalid != null) invalid.focus();
  // The field from which the form was submitted loses the focus while the form is disabled.
  else if (document.activeElement === document.body) form?.querySelector<HTMLElement>('[type=submit]')?.focus();
}
