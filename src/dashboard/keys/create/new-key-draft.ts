/** A new key as the form that creates it edits it: its settings, and what never changes. */
import { limits } from '../../../domain/limits.ts';
import type { CreateKeyInput, KeyDetailsFragment, KeyEnv } from '../../generated/graphql.ts';
import { defaultExpiry } from '../../key-settings/expiry.ts';
import { draftOf, emptyDraft, valuesOf, withLink } from '../../key-settings/key-draft.ts';
import type { KeyDraft } from '../../key-settings/setting-fields.ts';

export interface NewKeyDraft extends KeyDraft {
  readonly env: KeyEnv;
  readonly signing: boolean;
}

export function newKeyDraft(): NewKeyDraft {
  return { ...emptyDraft(), env: 'live', expiresAt: defaultExpiry('live'), signing: false };
}

/** Returns a draft with the settings of another key, and its lifetime from now on. */
export function draftLike(key: KeyDetailsFragment): NewKeyDraft {
  const lifetime = key.expiresAt === null ? null : Date.parse(key.expiresAt) - Date.parse(key.createdAt);
  return {
    ...draftOf(key),
    name: `Copy of ${key.name}`.slice(0, limits.nameCharacters),
    expiresAt: lifetime === null ? null : new Date(Date.now() + lifetime),
    env: key.env,
    signing: key.signingEnabled,
  };
}

/** Returns the draft with what the parameters of the page have, so that a link can prepare a key. */
export function withParameters(draft: NewKeyDraft, parameters: URLSearchParams): NewKeyDraft {
  const parameter = parameters.get('env');
  const env = parameter === 'live' || parameter === 'test' ? parameter : draft.env;
  const expiresAt = env === draft.env ? draft.expiresAt : defaultExpiry(env);
  const signing = parameters.has('signing') ? parameters.get('signing') === 'on' : draft.signing;
  return { ...withLink({ ...draft, expiresAt }, parameters), env, signing };
}

export function inputOf(teamId: string, draft: NewKeyDraft): CreateKeyInput {
  return { teamId, env: draft.env, signing: draft.signing, ...valuesOf(draft) };
}
