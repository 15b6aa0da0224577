import { Alert, Button, Code, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { limits } from '../../../domain/limits.ts';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { Form } from '../../components/form/form.tsx';
import { PillsInput } from '../../components/form/pills-input.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { type ChangeKind, changes, countOf, type Details, type Key, reasonsIn, recentUseOf } from './change.ts';
import { type Found, readTargets, type Target } from './change-keys.ts';
import { KeyNames } from './key-names.tsx';

interface Props {
  readonly kind: ChangeKind;
  readonly cancel: () => void;
  readonly form: UseFormReturnType<Details>;
  /** Of the form, with the policies. */
  readonly details: Details;
  readonly isPolicyLoading: boolean;
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

function Plan({ kind, found, form, details, isPolicyLoading, cancel, start }: Props & { readonly found: Found }) {
  const { keys, missing } = found;
  const [typed, setTyped] = useState('');
  const [now] = useState(Date.now);

  // The dialog sets the focus too early, before the keys are read.
  useEffect(() => document.querySelector<HTMLElement>('[role=dialog] form [data-autofocus]')?.focus(), []);

  const { verb, text, obstacle, effect, risk } = changes[kind];
  const affected = keys.filter((key) => obstacle(key, details) === null);
  const risky = affected.filter((key) => risk?.(key) != null);
  const others = keys.filter((key) => obstacle(key, details) !== null);
  const isRejecting = kind === 'revoke' || kind === 'disable';
  const confirmation = confirmationOf(kind, affected);
  const use = isRejecting ? recentUseOf(affected, now) : null;
  const hasNoTags = kind === 'tag' && details.added.length + details.removed.length === 0;
  const obstacleShown = (key: Key) => (hasNoTags ? changes.revoke.obstacle(key, details) : obstacle(key, details));
  // The user confirms the expiries that the policy permits.
  const isWaiting = kind === 'renew' && isPolicyLoading;
  const ready = !isWaiting && affected.length > 0 && typed.trim() === confirmation;
  return (
    <Form
      submit={() => ready && start(affected)}
      justify="flex-end"
      actions={
        <>
          <Button variant="default" data-autofocus={kind === 'renew' || undefined} onClick={cancel}>
            Cancel
          </Button>
          <FocusableButton type="submit" disabled={!ready} color={isRejecting || risky.length > 0 ? 'red' : 'blue'}>
            {verb} {countOf(affected)}
          </FocusableButton>
        </>
      }
    >
      <Text size="sm">{text}</Text>
      {risky.length > 0 && (
        <Alert color="red" title={`${countOf(risky)} ${risky.length === 1 ? 'has' : 'have'} leaked`}>
          <KeyNames label="Leaked keys" keys={risky} note={(key) => risk?.(key) ?? null} />
        </Alert>
      )}
      <DetailsInput kind={kind} form={form} />
      <Text size="sm" fw={600} role="status">
        {affected.length === 0 ? 'No key will be changed.' : `${countOf(affected)} will be changed:`}
      </Text>
      {use !== null && (
        <Text size="sm" fw={600} c="var(--mantine-color-error)">
          {use}
        </Text>
      )}
      <KeyNames label="Keys that will be changed" keys={affected} note={(key) => effect?.(key, details) ?? null} />
      <KeyNames
        label="Keys that will not be changed"
        intro={[`${countOf(others)} will not be changed`, reasonsIn(others.map(obstacleShown))]
          .filter(Boolean)
          .join(': ')}
        keys={others}
        note={obstacleShown}
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
    </Form>
  );
}

/** From this number on, disabled keys are confirmed like revoked ones. */
const manyKeys = 10;

/** What the user types: for a revocation, which is final, the prefix of the key; for many keys, their number. */
function confirmationOf(kind: ChangeKind, affected: readonly Key[]): string {
  const [first] = affected;
  if (kind === 'revoke') return affected.length === 1 ? (first?.prefix ?? '') : `${affected.length}`;
  return kind === 'disable' && affected.length >= manyKeys ? `${affected.length}` : '';
}

function DetailsInput({ kind, form }: Pick<Props, 'kind' | 'form'>) {
  if (kind === 'disable' || kind === 'enable') {
    return (
      <TextInput
        label="Reason"
        description="Optional, for the audit trail."
        data-autofocus
        maxLength={limits.reasonCharacters}
        {...form.getInputProps('reason')}
      />
    );
  }
  if (kind !== 'tag') return null;
  return (
    <>
      <PillsInput kind="tags" label="Add tags" data-autofocus {...form.getInputProps('added')} />
      <PillsInput kind="tags" label="Remove tags" {...form.getInputProps('removed')} />
    </>
  );
}
