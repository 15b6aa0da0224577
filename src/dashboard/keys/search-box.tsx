import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { isStaying } from '../destination.ts';
import { searchOf } from './key-filter.ts';

interface Props {
  readonly label: string;
  readonly placeholder?: string;
  readonly type?: 'search' | 'text';
  readonly maxLength: number;
  /** The text in the URL. */
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text of the filter. It follows the URL, and changes it shortly after the last key press. */
export function SearchBox({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const location = useLocation();
  const send = useDebouncedCallback((text: string) => {
    // It waits while the user goes to another page. Leaving this page unmounts the box and so ends the wait.
    if (!isStaying(location)) return send(text);
    sent.current = searchOf(text);
    if (sent.current !== value) onChange(sent.current);
    if (sent.current !== text.trim()) setTyped(sent.current);
  }, 250);

  useEffect(() => {
    // The URL changed, but not because of this box.
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setTyped(value);
  }, [value, send]);

  return (
    <TextInput
      {...rest}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
