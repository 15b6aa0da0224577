/** The dialog for changes of a key that ask first. The header, the banner and the tabs open it. */
import { Alert, Code, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../domain/limits.ts';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { execute } from '../api/execute.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { fieldProblem } from '../components/form/form.tsx';
import { Moment } from '../components/moment.tsx';
import { toast } from '../components/toast.ts';
import {
  DisableKeyDocument,
  DisableSigningDocument,
  EnableKeyDocument,
  EndOverlapDocument,
  RevokeKeyDocument,
  UpdateKeyDocument,
} from '../generated/graphql.ts';
import { hasExpired, renewalDays } from '../key-form/expiry.ts';
import { renewalOf } from '../key-form/renewal.ts';
import { checkLeaks, questionToEnable } from '../keys/changes/quick-change.ts';
import { usePolicies } from '../policy/policy.ts';
import { IssuingGuard } from '../secrets/secret-once.tsx';
import { type Key, type Question, showChange, useKeyChange } from './key-change.ts';
import { enabledLeak } from './leak/leak-in-words.ts';
import { replaceLeaked } from './leak/replace-leaked.ts';
import { renewalLimit } from './renewal-limit.ts';

interface Given {
  readonly reason: string | null;
  /** What the policy demands of the key, if it is known. */
  readonly rules: PolicyRules | undefined;
}

interface ConfirmedChange {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  /** The message after the change, behind the name of the key. Absent if the page shows a secret instead. */
  readonly done?: string;
  readonly isDangerous?: boolean;
  /** What the user can or must type: a reason for the history, or the prefix of the key as a confirmation. */
  readonly typed?: 'reason' | 'prefix';
  readonly undo?: Question;
  readonly send: (apiKey: Key, given: Given) => Promise<{ readonly apiKey: Key; readonly secret?: string }>;
}

const changes: Readonly<Record<Question, ConfirmedChange>> = {
  replaceLeaked: {
    title: 'Issue a new secret?',
    text: 'Every request with the key is rejected immediately, and the leaked secret is never accepted again. The key stays disabled until you enable it.',
    label: 'Disable and issue a new secret',
    isDangerous: true,
    send: replaceLeaked,
  },
  disable: {
    title: 'Disable this key?',
    text: 'It is rejected immediately on every instance, until it is enabled again.',
    label: 'Disable',
    done: 'is disabled',
    isDangerous: true,
    typed: 'reason',
    undo: 'enable',
    send: async ({ id }, { reason }) => (await execute(DisableKeyDocument, { id, reason })).disableKey,
  },
  enable: {
    title: 'Enable this key?',
    text: 'It is accepted again immediately, unless it has expired.',
    label: 'Enable',
    done: 'is enabled',
    typed: 'reason',
    undo: 'disable',
    send: async (apiKey, { reason }) => {
      await checkLeaks(apiKey.teamId, [apiKey]);
      return (await execute(EnableKeyDocument, { id: apiKey.id, reason })).enableKey;
    },
  },
  renew: {
    title: 'Renew this key?',
    text: `Its expiry moves by ${renewalDays} days. An expired key works again, for ${renewalDays} days from now.`,
    label: 'Renew',
    done: 'is renewed',
    send: async (apiKey, { rules }) => {
      if (hasExpired(apiKey, Date.now())) await checkLeaks(apiKey.teamId, [apiKey]);
      const expiresAt = renewalOf(apiKey, rules, Date.now())?.at.toISOString() ?? apiKey.expiresAt;
      // `ifRevision`, because the new expiry is computed from the expiry that the user sees.
      const variables = { id: apiKey.id, input: { expiresAt }, ifRevision: [apiKey.revision] };
      return (await execute(UpdateKeyDocument, variables)).updateKey;
    },
  },
  revoke: {
    title: 'Revoke this key permanently?',
    text: 'It is rejected immediately on every instance, and can’t be restored.',
    label: 'Revoke permanently',
    done: 'is revoked',
    isDangerous: true,
    typed: 'prefix',
    send: async ({ id }) => (await execute(RevokeKeyDocument, { id })).revokeKey,
  },
  endOverlap: {
    title: 'End the overlap now?',
    text: 'Requests with the previous secret, or signed with the previous signing secret, will be rejected at once.',
    label: 'End the overlap',
    done: 'accepts no previous secret anymore',
    isDangerous: true,
    send: async ({ id }) => (await execute(EndOverlapDocument, { id })).endOverlap,
  },
  disableSigning: {
    title: 'Disable request signing?',
    text: 'From now on, anyone with the key can use it without a signature.',
    label: 'Disable signing',
    done: 'needs no signature anymore',
    isDangerous: true,
    send: async ({ id }) => (await execute(DisableSigningDocument, { id })).disableSigning,
  },
};

interface Props {
  readonly apiKey: Key;
  readonly question: Question;
  readonly opened: boolean;
  readonly close: () => void;
  readonly onSecret: (secret: string) => void;
}

export function KeyDialog({ apiKey, question, opened, close, onSecret }: Props) {
  const [text, setText] = useState('');
  const { title, text: explanation, label, done, isDangerous = false, typed, undo, send } = changes[question];
  const isAcceptedAgain = question === 'enable' || (question === 'renew' && hasExpired(apiKey, Date.now()));
  const risk = isAcceptedAgain ? enabledLeak(apiKey) : null;
  const needsPrefix = typed === 'prefix';
  const queries = useQueryClient();
  const { policies, isLoading } = usePolicies(apiKey.teamId);
  const rules = policies[apiKey.env]?.effective;
  const limit = question === 'renew' ? renewalLimit(apiKey, rules) : null;
  const change = useKeyChange(() => send(apiKey, { reason: text.trim() || null, rules }));
  const end = () => {
    close();
    setText('');
    change.reset();
  };
  const confirm = () =>
    change.submit(undefined, {
      onSuccess: ({ apiKey: changed, secret }) => {
        end();
        if (secret !== undefined) onSecret(secret);
        if (done === undefined) return;
        toast(`“${apiKey.name}” ${done}.`, {
          undo:
            undo &&
            (async () => showChange(queries, (await changes[undo].send(changed, { reason: null, rules })).apiKey)),
          question: undo === 'enable' ? questionToEnable([changed]) : undefined,
        });
      },
    });
  return (
    <ConfirmDialog
      opened={opened}
      close={end}
      title={title}
      confirm={confirm}
      confirmLabel={risk === null ? label : `${label} anyway`}
      {...((isDangerous || risk !== null) && { color: 'red' })}
      disabled={
        (needsPrefix && text.trim() !== apiKey.prefix) ||
        (question === 'renew' && (isLoading || limit?.isReached === true))
      }
      pending={change.isPending}
      error={change.error}
    >
      {change.isPending && question === 'replaceLeaked' && <IssuingGuard />}
      <Text size="sm">{explanation}</Text>
      {limit !== null && <Alert role="status">{limit.text}</Alert>}
      {risk !== null && (
        <Alert color="red" title="The key has leaked">
          {risk}
        </Alert>
      )}
      {question === 'replaceLeaked' && <LastUse at={apiKey.lastUsedAt} />}
      {isDangerous && typed !== undefined && <LastUse at={apiKey.lastUsedAt} />}
      {typed !== undefined && (
        <TextInput
          // Enter in the field confirms.
          data-autofocus={risk === null || undefined}
          label={
            needsPrefix ? (
              <>
                To continue, type the prefix <Code>{apiKey.prefix}</Code>
              </>
            ) : (
              'Reason'
            )
          }
          description={!needsPrefix && 'For the history. Optional.'}
          maxLength={limits.reasonCharacters}
          autoComplete="off"
          spellCheck={!needsPrefix}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={fieldProblem(change.error, 'reason')}
        />
      )}
    </ConfirmDialog>
  );
}

function LastUse({ at }: { readonly at: string | null }) {
  if (at === null) return <Text size="sm">It has never been used.</Text>;
  return (
    <Text size="sm">
      It was last used <Moment at={at} />. Clients that still use it will be rejected.
    </Text>
  );
}
