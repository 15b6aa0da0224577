import { Button, Code, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { limits } from '../../../domain/limits.ts';
import { QueryView } from '../../components/query-view.tsx';
import { type ChangeKind, changes, type Details, type Key } from './change.ts';
import { type Found, readTargets, type Target } from './change-keys.ts';
import { countOf, KeyNames } from './key-names.tsx';

interface Props {
  readonly kind: ChangeKind;
  readonly cancel: () => void;
  readonly details: Details;
  readonly setDetails: (details: Details) => void;
  readonly start: (keys: readonly Key[]) => void;
}

export function ChangePlan({ target, ...props }: Props & { readonly target: Target }) {
  const query = useQuery({
    queryKey: ['change', props.kind, target],
    queryFn: ({ signal }) => readTargets(target, signal),
    // Never refetched, because the user confirms these keys. Not cached, because another attempt can find other keys.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return <QueryView query={query}>{(found) => <Plan found={found} {...props} />}</QueryView>;
}

function Plan({ kind, found, details, setDetails, cancel, start }: Props & { readonly found: Found }) {
  const { keys, missing } = found;
  const [typed, setTyped] = useState('');
  const form = useRef<HTMLFormElement>(null);

  // The dialog sets the focus too early, before the keys are read.
  useEffect(() => form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), []);

  const { verb, text, obstacle, effect } = changes[kind];
  const affected = keys.filter((key) => obstacle(key, details) === null);
  const others = keys.filter((key) => obstacle(key, details) !== null);
  // A revocation is final, so the user confirms it by typing the prefix of the key or the number of keys.
  const confirmation = kind === 'revoke' ? (affected.length === 1 ? affected[0]?.prefix : `${affected.length}`) : '';
  const ready = affected.length > 0 && typed.trim() === confirmation;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) start(affected);
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <DetailsInput kind={kind} details={details} setDetails={setDetails} />
        <Text size="sm" fw={600} role="status">
          {affected.length === 0 ? 'No key will be changed.' : `${countOf(affected)} will be changed:`}
        </Text>
        <KeyNames label="Keys that will be changed" keys={affected} note={(key) => effect?.(key, details) ?? null} />
        <KeyNames
          label="Keys that will not be changed"
          intro={`${countOf(others)} will not be changed:`}
          keys={others}
          note={(key) =>
            kind === 'tag' && details.added.length + details.removed.length === 0 ? null : obstacle(key, details)
          }
        />
        <KeyNames
          label="Keys that can’t be found"
          intro={`${countOf(missing)} can’t be found:`}
          keys={missing.map((id) => ({ id, name: 'Key', prefix: id }))}
          note={() => 'deleted'}
        />
        {confirmation !== '' && affected.length > 0 && (
          <TextInput
            label={
              <>
                To continue, type {affected.length === 1 ? 'the prefix' : 'the number of keys,'}{' '}
                <Code>{confirmation}</Code>
              </>
            }
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus={kind === 'renew' || undefined} onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={!ready} color={kind === 'revoke' ? 'red' : 'blue'}>
            {verb} {countOf(affected)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DetailsInput({ kind, details, setDetails }: Pick<Props, 'kind' | 'details' | 'setDetails'>) {
  if (kind === 'disable' || kind === 'enable') {
    return (
      <TextInput
        label="Reason"
        description="Optional, for the audit trail."
        data-autofocus
        maxLength={limits.reasonCharacters}
        value={details.reason}
        onChange={({ currentTarget }) => setDetails({ ...details, reason: currentTarget.value })}
      />
    );
  }
  if (kind !== 'tag') return null;
  return (
    <>
      <TagsInput
        label="Add tags"
        description="Press Enter after each tag."
        data-autofocus
        acceptValueOnBlur
        value={[...details.added]}
        onChange={(added) => setDetails({ ...details, added })}
      />
      <TagsInput
        label="Remove tags"
        acceptValueOnBlur
        value={[...details.removed]}
        onChange={(removed) => setDetails({ ...details, removed })}
      />
    </>
  );
}
