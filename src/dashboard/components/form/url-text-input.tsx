import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMatch, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';

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
  const router = useRouter();
  const { pathname } = useMatch({ strict: false });
  const send = useDebouncedCallback((text: string) => {
    // While another page is loading, tries again later. When that page is shown, this field and its timer are gone.
    if (router.latestLocation.pathname !== pathname) return send(text);
    const next = read(text);
    if (next === null) return;
    if (next !== '' && next !== text.trim()) setTyped(next);
    if (next === sent.current) return;
    sent.current = next;
    apply(next);
  }, delayMs);
  useEffect(() => {
    // A change of the URL that came from this field needs no update.
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setTyped(value);
  }, [value, send]);

  return (
    <TextInput
      {...rest}
      value={typed}
      error={check(typed)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
