import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMatch, useRouter } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';

const delayMs = 250;

interface Props extends Omit<TextInputProps, 'value' | 'onChange' | 'error'> {
  /** The value in the URL. */
  readonly value: string;
  /** Puts another value into the URL. */
  readonly apply: (value: string) => void;
  /** Returns the value that a typed text stands for; null to apply nothing. By default, the text itself. */
  readonly read?: (text: string) => string | null;
  /** Returns what is wrong with a typed text. */
  readonly check?: (text: string) => ReactNode;
}

/** A text field that shows a value of the URL, and changes the URL shortly after the last key press. */
export function UrlTextInput({ value, apply, read = (text) => text, check = () => null, ...rest }: Props) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const latest = useRef(value);
  const show = useCallback((text: string) => {
    latest.current = text;
    setTyped(text);
  }, []);
  const router = useRouter();
  const { pathname } = useMatch({ strict: false });
  const send = useDebouncedCallback((text: string) => {
    // While another page is loading, tries again later. When that page is shown, this field and its timer are gone.
    if (router.latestLocation.pathname !== pathname) return send(text);
    const next = read(text);
    if (next === null) return;
    if (next !== '' && next !== text.trim()) show(next);
    if (next === sent.current) return;
    sent.current = next;
    apply(next);
  }, delayMs);
  useEffect(() => {
    // A change of the URL that came from this field needs no update.
    if (value === sent.current) return;
    const isEdited = latest.current.trim() !== sent.current.trim();
    sent.current = value;
    // The URL can have a part of what was sent while the user types on. What is typed stays, and is sent next.
    if (value !== '' && (isEdited || latest.current.trim() === value)) return;
    send.cancel();
    show(value);
  }, [value, send, show]);

  return (
    <TextInput
      {...rest}
      value={typed}
      error={check(typed)}
      onChange={({ currentTarget }) => {
        show(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
