/**
 * The draft of a form over some settings of a key. It never overwrites what the user has not seen: it is saved only if
 * the key is as it was when the draft began. Changes of other settings are taken over.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { execute } from '../api/execute.ts';
import { oneKey, updateKey } from '../api/operations.ts';
import type { UpdateKeyInput } from '../generated/graphql.ts';
import { type Key, useKeyChange } from './key-change.ts';
import { changesOf, isSame } from './settings.ts';

/** The fields of the form, as it holds them. */
type Draft = Readonly<Record<string, unknown>>;

export interface Form<D extends Draft> {
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

export function useEdit<D extends Draft>(apiKey: Key, { draftOf, settingsOf }: Form<D>) {
  const [base, setBase] = useState(apiKey);
  const [draft, setDraft] = useState(() => draftOf(apiKey));
  const queries = useQueryClient();
  const update = useKeyChange((saving: Saving) => saveUnlessChanged(queries, saving));
  const conflict: Conflict | null = update.error instanceof ChangedMeanwhile ? { base, ...pairOf(update.error) } : null;
  const settings = settingsOf(draft, base);
  const input = settings === null ? null : changesOf(settings, base);
  const isDirty = input === null || Object.keys(input).length > 0;

  const restart = (key: Key) => {
    setBase(key);
    setDraft(draftOf(key));
  };
  // The key was loaded again: the draft goes on from there, unless the same field was changed.
  if (apiKey.revision !== base.revision && conflict === null && !update.isPending) {
    const rebased = rebase(draft, draftOf(base), draftOf(apiKey));
    if (rebased !== null) {
      setBase(apiKey);
      setDraft(rebased);
    }
  }

  const send = (changes: UpdateKeyInput, { id, revision }: Key) =>
    update.mutate({ id, revision, input: changes }, { onSuccess: ({ apiKey: saved }) => restart(saved) });
  return {
    base,
    draft,
    change: (fields: Partial<D>) => setDraft({ ...draft, ...fields }),
    input,
    isDirty,
    save: () => {
      if (input !== null && isDirty) send(input, base);
    },
    isSaving: update.isPending,
    isSaved: update.isSuccess && !isDirty,
    error: conflict === null ? update.error : null,
    conflict,
    /** Saves what the user chose. Nothing chosen: the form shows theirs. */
    resolve: (chosen: UpdateKeyInput) => {
      if (conflict === null) return;
      if (Object.keys(chosen).length > 0) return send(chosen, conflict.theirs);
      restart(conflict.theirs);
      update.reset();
    },
    closeConflict: update.reset,
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
    queries.setQueryData(['key', id], theirs);
    throw new ChangedMeanwhile(theirs, input);
  }
}

function pairOf({ theirs, mine }: ChangedMeanwhile) {
  return { theirs, mine };
}

/** Returns the draft over a newer state of the key; null if both changed the same field. */
function rebase<D extends Draft>(draft: D, old: D, current: D): D | null {
  const fields = Object.keys(draft);
  const edited = fields.filter((field) => !isSame(draft[field], old[field]));
  if (edited.some((field) => !isSame(old[field], current[field]))) return null;
  return { ...current, ...Object.fromEntries(edited.map((field) => [field, draft[field]])) };
}
