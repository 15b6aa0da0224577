import { Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../error-notice.tsx';

interface Props {
  /** Sends the input. If a field is invalid, makes the field show its problem instead. */
  readonly submit: () => void;
  /** Why the last submit failed. Absent in forms that do not call the server. */
  readonly error?: unknown;
  readonly notice?: ReactNode;
  readonly fields?: readonly string[];
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly justify?: 'flex-end' | undefined;
}

/**
 * A form that makes failed submits visible. The first field that the page or the server found invalid gets the focus.
 * Errors that are not about a field are shown above the buttons.
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
          <Actions error={isElsewhere(error, fields) ? error : null} notice={notice} justify={justify}>
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

/** Returns the server's messages about a field and its parts, such as `tags[2]`. */
export function problemOf(error: unknown, field: string): string | undefined {
  const messages = problemsOf(error).filter((problem) => fieldOf(problem.field) === field);
  return messages.length === 0 ? undefined : messages.map(({ message }) => message).join('; ');
}

/** Returns whether the error is about anything besides these fields. */
function isElsewhere(error: unknown, fields: readonly string[]): boolean {
  if (error == null) return false;
  const problems = problemsOf(error);
  return problems.length === 0 || problems.some(({ field }) => !fields.includes(fieldOf(field)));
}

function problemsOf(error: unknown) {
  return error instanceof ApiError ? error.fields : [];
}

function fieldOf(path: string): string {
  return /^(?:input\.)?(\w+)/.exec(path)?.[1] ?? '';
}
