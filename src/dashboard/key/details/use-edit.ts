/**
 * A form for some settings of a key. Its draft is saved only if the key still has the revision that the draft began
 * with, so that it never overwrites changes that the user has not seen. Not `useServerForm`, because what is sent is
 * not the draft, and the server may answer with a conflict instead of an error.
 */
import { useForm } from '@mantine/form';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SettingName } from '../../../domain/key/settings.ts';
import type { PolicyRules } from '../../../domain/policy/key-policy.ts';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { messagesByField } from '../../components/form/field-errors.ts';
import { toast } from '../../components/toast.ts';
import { OneKeyDocument, UpdateKeyDocument, type UpdateKeyInput } from '../../generated/graphql.ts';
import { expiryBounds, withinPolicy } from '../../key-form/expiry-bounds.ts';
import type { KeyDraft } from '../../key-form/fields.ts';
import { changedAmong, draftOf, pick, problemsOf, valuesOf } from '../../key-form/key-draft.ts';
import { nameOf } from '../history/changes-in-words.ts';
import { type Key, showChange, useKeyChange } from '../key-change.ts';

interface Update {
  readonly changes: UpdateKeyInput;
  /** The key without the changes, in the revision that the user has seen. */
  readonly before: Key;
  /** The draft that is sent. The user can edit the form until the response arrives. */
  readonly sent: KeyDraft;
}

/** An update that was not made, because another session had changed the key. */
export interface Conflict extends Update {
  readonly theirs: Key;
}

/** @param rules what the policy demands of the key, within which the draft is saved */
export function useEdit(apiKey: Key, settings: readonly SettingName[], rules?: PolicyRules) {
  const [base, setBase] = useState(apiKey);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const queries = useQueryClient();
  const update = useKeyChange(saveUnlessChanged);
  const form = useForm<KeyDraft>({
    mode: 'controlled',
    initialValues: draftOf(apiKey),
    // A setting that was not edited may have a problem, such as an expiry in the past.
    validate: (draft) => pick(problemsOf(draft), edited()),
    validateInputOnChange: true,
    clearInputErrorOnChange: false,
  });
  const edited = (): SettingName[] => settings.filter((setting) => form.isDirty(setting));
  const isDirty = form.isDirty();

  /** Continues with another revision of the key. Keeps what the user has edited since `draft`. */
  const continueFrom = (key: Key, draft: KeyDraft) => {
    const now = form.getValues();
    const next = draftOf(key);
    setBase(key);
    setConflict(null);
    form.resetDirty(next);
    form.setValues({ ...next, ...pick(now, changedAmong(settings, draft, now)) });
  };
  // When another revision is loaded, the draft continues from it, unless that revision changed an edited setting.
  if (apiKey.revision !== base.revision && conflict === null && !update.isPending) {
    const unedited = form.getInitialValues();
    if (changedAmong(edited(), unedited, draftOf(apiKey)).length === 0) continueFrom(apiKey, unedited);
  }

  const send = (input: Update, onAnswer?: () => void) =>
    update.submit(input, {
      onSuccess: ({ apiKey: key, isSaved }, { changes, before, sent }) => {
        onAnswer?.();
        if (!isSaved) return setConflict({ changes, before: base, sent, theirs: key });
        continueFrom(key, sent);
        const names = settings.filter((name) => name in changes);
        toast(`Saved: ${names.map(nameOf).join(', ')}.`, {
          undo: () => restore(queries, key, pick(before, names)),
        });
      },
      onError: (error) => {
        const messages = messagesByField(error);
        form.setErrors(messages);
        // Shows the form behind the dialog. The dialog itself shows errors that are not about a field.
        if (Object.keys(messages).length > 0) setConflict(null);
      },
    });
  /** Saves the chosen settings. If there are none, the form shows the settings of the other session. */
  const resolve = (changes: UpdateKeyInput) => {
    if (conflict === null) return;
    const { theirs, sent } = conflict;
    if (Object.keys(changes).length > 0) return send({ changes, before: theirs, sent });
    continueFrom(theirs, sent);
    update.reset();
  };
  const closeConflict = () => {
    setConflict(null);
    update.reset();
  };
  return {
    form,
    base,
    /** @param onAnswer called when the draft is saved or in conflict, so that a confirmation dialog can close */
    save: (onAnswer?: () => void) =>
      form.onSubmit((sent) =>
        send({ changes: pick(permittedValues(sent, base, rules), edited()), before: base, sent }, onAnswer),
      )(),
    /** For `Form`. */
    frame: {
      // During a conflict, its dialog shows the error.
      error: conflict === null ? update.error : null,
      fields: settings,
      isPending: update.isPending,
      isDirty,
      isGuarded: true,
      canSubmit: isDirty,
    },
    merge: { conflict, saving: update.isPending, error: update.error, resolve, close: closeConflict },
  };
}

function permittedValues(draft: KeyDraft, { rotatedAt, createdAt }: Key, rules: PolicyRules | undefined) {
  const now = Date.now();
  return valuesOf(withinPolicy(draft, rules, expiryBounds(rules, rotatedAt ?? createdAt, now), now), now);
}

/** Reverts a change, unless the key was changed again. */
async function restore(queries: QueryClient, { id, revision }: Key, input: UpdateKeyInput): Promise<void> {
  const { updateKey } = await execute(UpdateKeyDocument, { id, input, ifRevision: [revision] });
  await showChange(queries, updateKey.apiKey);
}

async function saveUnlessChanged({ changes: input, before: { id, revision } }: Update) {
  try {
    const { updateKey } = await execute(UpdateKeyDocument, { id, input, ifRevision: [revision] });
    return { apiKey: updateKey.apiKey, isSaved: true };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error;
    const { key } = await execute(OneKeyDocument, { id });
    return { apiKey: key, isSaved: false };
  }
}
