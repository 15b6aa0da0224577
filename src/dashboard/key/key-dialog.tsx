/** The dialog for changes of a key's state that ask first. The header, the banner and the tabs open it. */
import { Code, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../domain/limits.ts';
import { execute } from '../api/execute.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { problemOf } from '../components/form/form.tsx';
import { Moment } from '../components/moment.tsx';
import { toast } from '../components/toast.ts';
import { DisableKeyDocument, EnableKeyDocument, RevokeKeyDocument, UpdateKeyDocument } from '../generated/graphql.ts';
import { renewalDays, renewedExpiry } from '../key-settings/expiry.ts';
import { type Key, type Question, showChange, useKeyChange } from './key-change.ts';

interface Texts {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly done: string;
  readonly isDangerous?: boolean;
}

const texts: Readonly<Record<Question, Texts>> = {
  disable: {
    title: 'Disable this key?',
    text: 'It is rejected immediately on every instance, until it is enabled again.',
    label: 'Disable',
    done: 'is disabled',
    isDangerous: true,
  },
  enable: {
    title: 'Enable this key?',
    text: 'It is accepted again immediately, unless it has expired.',
    label: 'Enable',
    done: 'is enabled',
  },
  renew: {
    title: 'Renew this key?',
    text: `Its expiry moves by ${renewalDays} days. An expired key works again, for ${renewalDays} days from now.`,
    label: 'Renew',
    done: 'is renewed',
  },
  revoke: {
    title: 'Revoke this key permanently?',
    text: 'It is rejected immediately on every instance, and can’t be restored.',
    label: 'Revoke permanently',
    done: 'is revoked',
    isDangerous: true,
  },
};

const undoOf: Partial<Record<Question, Question>> = { disable: 'enable', enable: 'disable' };

interface Props {
  readonly apiKey: Key;
  readonly question: Question;
  readonly opened: boolean;
  readonly close: () => void;
}

export function KeyDialog({ apiKey, question, opened, close }: Props) {
  const [typed, setTyped] = useState('');
  const { title, text, label, done, isDangerous = false } = texts[question];
  const isRevocation = question === 'revoke';
  const queries = useQueryClient();
  const change = useKeyChange(() => answer(question, apiKey, typed.trim() || null));
  const end = () => {
    close();
    setTyped('');
    change.reset();
  };
  const confirm = () =>
    change.submit(undefined, {
      onSuccess: () => {
        end();
        const undo = undoOf[question];
        toast(`“${apiKey.name}” ${done}.`, {
          undo: undo && (async () => showChange(queries, (await answer(undo, apiKey, null)).apiKey)),
        });
      },
    });
  return (
    <ConfirmDialog
      opened={opened}
      close={end}
      title={title}
      confirm={confirm}
      confirmLabel={label}
      {...(isDangerous && { color: 'red' })}
      disabled={isRevocation && typed.trim() !== apiKey.prefix}
      pending={change.isPending}
      error={change.error}
    >
      <Text size="sm">{text}</Text>
      {isDangerous && <LastUse at={apiKey.lastUsedAt ?? null} />}
      {question !== 'renew' && (
        <TextInput
          data-autofocus
          label={
            isRevocation ? (
              <>
                To continue, type the prefix <Code>{apiKey.prefix}</Code>
              </>
            ) : (
              'Reason'
            )
          }
          description={!isRevocation && 'For the history. Optional.'}
          maxLength={limits.reasonCharacters}
          autoComplete="off"
          spellCheck={!isRevocation}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={problemOf(change.error, 'reason')}
        />
      )}
    </ConfirmDialog>
  );
}

async function answer(question: Question, apiKey: Key, reason: string | null) {
  const { id, revision } = apiKey;
  if (question === 'disable') return (await execute(DisableKeyDocument, { id, reason })).disableKey;
  if (question === 'enable') return (await execute(EnableKeyDocument, { id, reason })).enableKey;
  if (question === 'revoke') return (await execute(RevokeKeyDocument, { id })).revokeKey;
  const expiresAt = renewedExpiry(apiKey, Date.now())?.toISOString() ?? null;
  // `ifRevision`, because the new expiry is computed from the expiry that the user sees.
  return (await execute(UpdateKeyDocument, { id, input: { expiresAt }, ifRevision: [revision] })).updateKey;
}

function LastUse({ at }: { readonly at: string | null }) {
  return (
    <Text size="sm">
      {at === null ? (
        'It has never been used.'
      ) : (
        <>
          It was last used <Moment at={at} />. Clients that still use it will be rejected.
        </>
      )}
    </Text>
  );
}
