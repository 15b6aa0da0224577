import { Group, Stack } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { LeaveGuard } from '../dialog/leave-guard.tsx';
import { ErrorNotice } from '../error-notice.tsx';
import { isElsewhere, messagesByField } from './field-errors.ts';
import { FocusableButton } from './focusable-button.tsx';

interface Props {
  /** Sends the input. If a field is invalid, makes the field show its problem instead. */
  readonly submit: () => void;
  /** Why the last submit failed. Absent in forms that do not call the server. */
  readonly error?: unknown;
  readonly notice?: ReactNode;
  readonly fields?: readonly string[];
  readonly isPending?: boolean;
  readonly isDirty?: boolean;
  /** Asks before the user leaves the page with unsaved input. */
  readonly isGuarded?: boolean;
  readonly children: ReactNode;
  /** The label of the button that submits. */
  readonly submitLabel?: string;
  readonly canSubmit?: boolean;
  /** What follows that button, or all buttons. */
  readonly actions?: ReactNode;
  readonly justify?: 'flex-end' | undefined;
}

/**
 * A form that makes failed submits visible. The first field that the page or the server found invalid gets the focus.
 * Errors that are not about a field are shown above the buttons.
 */
export function Form({ submit, children, isGuarded = false, isDirty = false, ...rest }: Props) {
  const { error, notice, fields = [], isPending = false, submitLabel, canSubmit = true, actions, justify } = rest;
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
    <form ref={form} onSubmit={send} onKeyDown={keepInCombobox} noValidate>
      <Stack gap="sm">
        {children}
        {(submitLabel !== undefined || actions !== undefined) && (
          <Actions error={isElsewhere(error, fields) ? error : null} notice={notice} justify={justify}>
            {submitLabel !== undefined && (
              <FocusableButton type="submit" loading={isPending} disabled={!canSubmit}>
                {submitLabel}
              </FocusableButton>
            )}
            {actions}
          </Actions>
        )}
      </Stack>
      {isGuarded && isDirty && <UnsavedGuard />}
    </form>
  );
}

/** Enter in a field of tags or choices adds one. Another Enter, in the field that is empty by then, must not submit. */
function keepInCombobox(event: KeyboardEvent<HTMLFormElement>): void {
  const isCombobox = event.target instanceof HTMLInputElement && event.target.role === 'combobox';
  if (event.key === 'Enter' && isCombobox) event.preventDefault();
}

function UnsavedGuard() {
  return <LeaveGuard title="Leave without saving?" text="What you changed on this page has not been saved." />;
}

function focusInvalid(form: HTMLFormElement | null): void {
  const invalid = form?.querySelector<HTMLElement>('[aria-invalid=true]');
  if (invalid != null) invalid.focus();
  // If the form was disabled during the call, the field that submitted it with Enter has lost the focus.
  else if (document.activeElement === document.body) form?.querySelector<HTMLElement>('[type=submit]')?.focus();
}

interface ActionsProps {
  readonly error: unknown;
  readonly notice?: ReactNode;
  readonly justify?: 'flex-end' | undefined;
  readonly children: ReactNode;
}

/** Buttons that submit, with the error above them, because the user has just looked there to press a button. */
export function Actions({ error, notice, justify, children }: ActionsProps) {
  const actions = useRef<HTMLDivElement>(null);
  const hasNotice = Boolean(notice);
  useEffect(() => {
    // The error would push buttons at the lower edge out of the window.
    if (error != null || hasNotice) actions.current?.scrollIntoView({ block: 'nearest' });
  }, [error, hasNotice]);

  return (
    <Stack gap="sm" ref={actions}>
      {notice || (error != null && <ErrorNotice error={error} />)}
      <Group justify={justify ?? 'flex-start'}>{children}</Group>
    </Stack>
  );
}

/** Returns the server's messages about a field. Forms of `useServerForm` do not need it. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  return messagesByField(error)[field];
}
