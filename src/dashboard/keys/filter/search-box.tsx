import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { isStaying } from '../../shell/destination.ts';
import { mightBeSecret, searchOf } from './key-filter.ts';

interface Props {
  readonly label: string;
  readonly placeholder?: string;
  readonly type?: 'search' | 'text';
  readonly maxLength: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Shown instead of searching for a text that could be a secret. Without it, every text is searched for. */
  readonly secretHint?: ReactNode;
}

/** A text of the filter. It follows the URL, and changes it shortly after the last key press. */
export function SearchBox({ value, onChange, secretHint, ...rest }: Props) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const location = useLocation();
  const send = useDebouncedCallback((text: string) => {
    // Tries again later if another page is loading. Once that is shown, this box and its timer are gone.
    if (!isStaying(location)) return send(text);
    const search = searchOf(text);
    const isSearched = secretHint === undefined || !mightBeSecret(search);
    sent.current = isSearched ? search : '';
    if (sent.current !== value) onChange(sent.current);
    if (isSearched && search !== text.trim()) setTyped(search);
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
      error={mightBeSecret(searchOf(typed)) ? secretHint : undefined}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
