/**
 * The draft of a form over some settings of a key. It never overwrites what the user has not seen: it is saved only if
 * the key is as it was when the draft began. Changes of other settings are taken over.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { oneKey, updateKey } from '../../api/operations.ts';
import type { UpdateKeyInput } from '../../generated/graphql.ts';
import { changesOf, isSame } from '../../key-settings/settings.ts';
import { type Key, showKey, useKeyChange } from '../key-change.ts';

/** The fields of the form, as it holds them. */
type Draft = Readonly<Record<string, unknown>>;

export interface SettingsForm<D extends Draft> {
  readonly draftOf: (key: Key) => D;
  /** The settings as the draft has them; null if it can't be read. */
  readonly settingsOf: (draft: D, base: Key) => UpdateKeyInput | null;
}

/** What somebody else changed while the form was open. */
export interface Conflict {
  readonly base: Key;
  readonly theirs: Key;
  readonly mine: UpdateKeyInput;
}

/** A conflict, and the draft that was sent: the user can type more until the answer arrives. */
interface DraftConflict<D extends Draft> extends Conflict {
  readonly sent: D;
}

/** The key was changed since the draft began, so nothing was saved. */
class ChangedMeanwhile extends Error {
  readonly theirs: Key;
  readonly mine: UpdateKeyInput;

  constructor(theirs: Key, mine: UpdateKeyInput) {
    super('The key was changed since it was opened.');
    this.theirs = theirs;
    this.mine = mine;
  }
}

export function useEdit<D extends Draft>(apiKey: Key, { draftOf, settingsOf }: SettingsForm<D>) {
  const [base, setBase] = useState(apiKey);
  const [draft, setDraft] = useState(() => draftOf(apiKey));
  const queries = useQueryClient();
  const update = useKeyChange((saving: Saving) => saveUnlessChanged(queries, saving));
  const [conflict, setConflict] = useState<DraftConflict<D> | null>(null);
  const settings = settingsOf(draft, base);
  const input = settings === null ? null : changesOf(settings, base);
  const isDirty = input === null || Object.keys(input).length > 0;

  /** Goes on from a key that answers what was sent. What was typed since then is kept. */
  const goOn = (key: Key, sent: D) => {
    setBase(key);
    setDraft((now) => ({ ...draftOf(key), ...editsOf(now, sent) }));
    setConflict(null);
  };
  // The key was loaded again: the draft goes on from there, unless the same field was changed.
  if (apiKey.revision !== base.revision && conflict === null && !update.isPending) {
    const rebased = rebase(draft, draftOf(base), draftOf(apiKey));
    if (rebased !== null) {
      setBase(apiKey);
      setDraft(rebased);
    }
  }

  const send = (changes: UpdateKeyInput, { id, revision }: Key, sent: D, leave?: () => void) =>
    update.submit(
      { id, revision, input: changes },
      {
        onSuccess: ({ apiKey: saved }) => {
          goOn(saved, sent);
          leave?.();
        },
        onError: (error) => {
          if (error instanceof ChangedMeanwhile) {
            setConflict({ base, sent, ...pairOf(error) });
            leave?.();
          }
          // A field to correct is in the form, behind the dialog. Other errors are shown in the dialog, which stays.
          else if (error instanceof ApiError && error.fields.length > 0) setConflict(null);
        },
      },
    );
  /** Saves what the user chose. Nothing chosen: the form shows theirs. */
  const resolve = (chosen: UpdateKeyInput) => {
    if (conflict === null) return;
    if (Object.keys(chosen).length > 0) return send(chosen, conflict.theirs, conflict.sent);
    goOn(conflict.theirs, conflict.sent);
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
    change: (fields: Partial<D>) => setDraft((now) => ({ ...now, ...fields })),
    input,
    isDirty,
    /** @param leave called when the input is saved, or in conflict: what asked for it has nothing more to show */
    save: (leave?: () => void) => {
      if (input !== null && isDirty) send(input, base, draft, leave);
    },
    isSaving: update.isPending,
    isSaved: update.isSuccess && !isDirty,
    /** What is not shown in the dialog of a conflict. */
    error: conflict === null ? error : null,
    merge: { conflict, saving: update.isPending, error, resolve, close: closeConflict },
  };
}

interface Saving {
  readonly id: string;
  readonly input: UpdateKeyInput;
  readonly revision: string;
}

/** Throws ChangedMeanwhile if the key has another revision. */
async function saveUnlessChanged(queries: QueryClient, { id, input, revision }: Saving) {
  try {
    return (await execute(updateKey, { id, input, ifRevision: [revision] })).updateKey;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error;
    const { key: theirs } = await execute(oneKey, { id });
    // The rest of the page shows it too.
    await showKey(queries, theirs);
    throw new ChangedMeanwhile(theirs, input);
  }
}

function pairOf({ theirs, mine }: ChangedMeanwhile) {
  return { theirs, mine };
}

/** Returns the draft over a newer state of the key; null if both changed the same field. */
function rebase<D extends Draft>(draft: D, old: D, current: D): D | null {
  const edits = editsOf(draft, old);
  const isConflict = Object.keys(edits).some((field) => !isSame(old[field], current[field]));
  return isConflict ? null : { ...current, ...edits };
}

/** Returns the fields that differ from an older draft. */
function editsOf<D extends Draft>(draft: D, old: D): Partial<D> {
  return Object.fromEntries(Object.entries(draft).filter(([field, value]) => !isSame(value, old[field]))) as Partial<D>;
}
