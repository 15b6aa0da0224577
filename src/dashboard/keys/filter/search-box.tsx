import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMatch, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { mightBeSecret, searchOf } from './key-filter.ts';

interface Props extends Omit<TextInputProps, 'value' | 'onChange' | 'error'> {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Shown instead of searching for a text that could be a secret. Without a hint, every text is searched for. */
  readonly secretHint?: ReactNode;
}

/** A text field of the filter. It shows the URL's value, and changes the URL shortly after the last key press. */
export function SearchBox({ value, onChange, secretHint, ...rest }: Props) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const router = useRouter();
  const { pathname } = useMatch({ from: '/teams/$teamId/keys' });
  const send = useDebouncedCallback((text: string) => {
    // While another page is loading, tries again later. When that page is shown, this box and its timer are gone.
    if (router.latestLocation.pathname !== pathname) return send(text);
    const search = searchOf(text);
    const isSearched = secretHint === undefined || !mightBeSecret(search);
    sent.current = isSearched ? search : '';
    if (sent.current !== value) onChange(sent.current);
    if (isSearched && search !== text.trim()) setTyped(search);
  }, 250);
  useEffect(() => {
    // A change of the URL that came from this box needs no update.
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
