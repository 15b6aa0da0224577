/**
 * The draft of a form for some settings of a key. The draft is saved only if the key still has the revision that the
 * draft began with, so that it never overwrites changes that the user has not seen.
 */
import { useForm } from '@mantine/form';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SettingName } from '../../../domain/key/settings.ts';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { messagesByField } from '../../components/form/field-errors.ts';
import { toast } from '../../components/toast.ts';
import { OneKeyDocument, UpdateKeyDocument, type UpdateKeyInput } from '../../generated/graphql.ts';
import { changedAmong, changesOf, draftOf, pick, problemsOf } from '../../key-settings/key-draft.ts';
import type { KeyDraft } from '../../key-settings/setting-fields.ts';
import { nameOf } from '../history/changes-in-words.ts';
import { type Key, showChange, showKey, useKeyChange } from '../key-change.ts';

export interface Conflict {
  readonly base: Key;
  readonly theirs: Key;
  readonly mine: UpdateKeyInput;
  /** The draft that was sent. The user can edit the form until the response arrives. */
  readonly sent: KeyDraft;
}

class ChangedMeanwhile extends Error {
  readonly theirs: Key;

  constructor(theirs: Key) {
    super('The key was changed since it was opened.');
    this.theirs = theirs;
  }
}

/** @param settings the settings that the form edits; must be the same array at each render */
export function useEdit(apiKey: Key, settings: readonly SettingName[]) {
  const [base, setBase] = useState(apiKey);
  const {
    values: draft,
    errors,
    ...form
  } = useForm<KeyDraft>({
    mode: 'controlled',
    initialValues: draftOf(apiKey),
    clearInputErrorOnChange: false,
  });
  const queries = useQueryClient();
  const update = useKeyChange((update: Update) => saveUnlessChanged(queries, update));
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const edited = changedAmong(settings, draftOf(base), draft);
  const input = changesOf(draft, base, settings);
  const isDirty = input === null || Object.keys(input).length > 0;
  const change = <S extends SettingName>(setting: S, value: KeyDraft[S]) => {
    form.setValues({ [setting]: value });
    form.clearFieldError(setting);
  };

  /** Continues with the key of a response. Keeps edits that the user made after sending the draft. */
  const continueFrom = (key: Key, sent: KeyDraft) => {
    setBase(key);
    const now = form.getValues();
    form.setValues({ ...draftOf(key), ...pick(now, changedAmong(settings, sent, now)) });
    setConflict(null);
  };
  // When another revision is loaded, the draft continues from it, unless that revision changed an edited setting.
  if (apiKey.revision !== base.revision && conflict === null && !update.isPending) {
    const theirs = draftOf(apiKey);
    if (changedAmong(edited, draftOf(base), theirs).length === 0) {
      setBase(apiKey);
      form.setValues({ ...theirs, ...pick(draft, edited) });
    }
  }

  const send = (changes: UpdateKeyInput, before: Key, sent: KeyDraft, onAnswer?: () => void) =>
    update.submit(
      { id: before.id, revision: before.revision, input: changes },
      {
        onSuccess: ({ apiKey: saved }) => {
          continueFrom(saved, sent);
          const names = settings.filter((name) => name in changes);
          toast(`Saved: ${names.map(nameOf).join(', ')}.`, {
            undo: () => restore(queries, saved, pick(before, names)),
          });
          onAnswer?.();
        },
        onError: (error) => {
          form.setErrors(messagesByField(error));
          if (error instanceof ChangedMeanwhile) {
            setConflict({ base, theirs: error.theirs, mine: changes, sent });
            onAnswer?.();
          }
          // Closes the dialog if a field of the form behind it is invalid. The dialog itself shows all other errors.
          else if (error instanceof ApiError && error.fields.length > 0) setConflict(null);
        },
      },
    );
  /** Saves the chosen settings. If there are none, the form shows the settings of the other session. */
  const resolve = (chosen: UpdateKeyInput) => {
    if (conflict === null) return;
    if (Object.keys(chosen).length > 0) return send(chosen, conflict.theirs, conflict.sent);
    continueFrom(conflict.theirs, conflict.sent);
    update.reset();
  };
  const closeConflict = () => {
    setConflict(null);
    update.reset();
  };
  const error = update.error instanceof ChangedMeanwhile ? null : update.error;
  return {
    base,
    draft,
    change,
    problems: { ...pick(problemsOf(draft), edited), ...errors },
    /** @param onAnswer called when the draft is saved or in conflict, so that a confirmation dialog can close */
    save: (onAnswer?: () => void) => {
      if (input !== null && isDirty) send(input, base, draft, onAnswer);
    },
    /** For `Form`. */
    frame: {
      // During a conflict, its dialog shows the error.
      error: conflict === null ? error : null,
      fields: settings,
      isPending: update.isPending,
      isDirty,
      isGuarded: true,
      canSubmit: isDirty,
    },
    merge: { conflict, saving: update.isPending, error, resolve, close: closeConflict },
  };
}

interface Update {
  readonly id: string;
  readonly input: UpdateKeyInput;
  readonly revision: string;
}

/** Reverts a change, unless the key was changed again. */
async function restore(queries: QueryClient, { id, revision }: Key, input: UpdateKeyInput): Promise<void> {
  const { updateKey } = await execute(UpdateKeyDocument, { id, input, ifRevision: [revision] });
  await showChange(queries, updateKey.apiKey);
}

async function saveUnlessChanged(queries: QueryClient, { id, input, revision }: Update) {
  try {
    return (await execute(UpdateKeyDocument, { id, input, ifRevision: [revision] })).updateKey;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error;
    const { key: theirs } = await execute(OneKeyDocument, { id });
    await showKey(queries, theirs);
    throw new ChangedMeanwhile(theirs);
  }
}
