/** Drafts of new keys, and the settings that they start from: templates, another key or a link. */
import { limits } from '../../../domain/limits.ts';
import type { CreateKeyInput, KeyDetailsFragment, KeyEnv } from '../../generated/graphql.ts';
import { defaultExpiry, inDays } from '../../key-settings/expiry.ts';
import { draftOf, emptyDraft, valuesOf, withLink } from '../../key-settings/key-draft.ts';
import type { KeyDraft } from '../../key-settings/setting-fields.ts';

/** The settings of a new key, its environment, and whether its requests must be signed. */
export interface NewKeyDraft extends KeyDraft {
  readonly env: KeyEnv;
  readonly signing: boolean;
}

interface Template {
  readonly id: string;
  readonly label: string;
  readonly days: number;
  readonly settings: Partial<NewKeyDraft>;
}

export const templates: readonly Template[] = [
  { id: 'service', label: 'Backend service', days: 90, settings: { env: 'live', tags: ['service'], signing: true } },
  { id: 'ci', label: 'CI job', days: 30, settings: { env: 'live', tags: ['ci'] } },
  {
    id: 'mobile',
    label: 'Mobile app',
    days: 365,
    // Users can extract an app's key, so it has a rate limit.
    settings: { env: 'live', tags: ['mobile'], rateLimit: { limit: 60, windowSeconds: 60 } },
  },
  {
    id: 'partner',
    label: 'Partner',
    days: 365,
    settings: { env: 'live', tags: ['partner'], rateLimit: { limit: 600, windowSeconds: 60 } },
  },
  { id: 'development', label: 'Development', days: 30, settings: { env: 'test', tags: ['development'] } },
];

export interface Start {
  readonly draft: NewKeyDraft;
  readonly template: string;
  /** Returns the settings without a template: those of the duplicated key, or of an empty form. */
  readonly origin: () => NewKeyDraft;
  readonly isDuplicate: boolean;
  /** Whether the expiry comes from a template, a link or another key, and is not the default of the environment. */
  readonly hasExpiry: boolean;
}

/** @param like the key to duplicate */
export function startOf(like: KeyDetailsFragment | undefined, parameters: URLSearchParams): Start {
  const template = templateOf(parameters.get('template'));
  const origin = like === undefined ? newKeyDraft : () => withParameters(draftLike(like), parameters);
  return {
    draft: withParameters(withTemplate(origin(), template), parameters),
    template: template?.id ?? '',
    origin,
    isDuplicate: like !== undefined,
    hasExpiry: like !== undefined || template !== undefined || parameters.has('expires'),
  };
}

/** Keeps the name. If `next` is a template, also keeps the settings that are in neither of the two templates. */
export function changeTemplate(draft: NewKeyDraft, origin: NewKeyDraft, previous: string, next: string): NewKeyDraft {
  const template = templateOf(next);
  if (template === undefined) return { ...origin, name: draft.name };
  return withTemplate(withoutTemplate(draft, origin, templateOf(previous)), template);
}

function templateOf(id: string | null): Template | undefined {
  return templates.find((template) => template.id === id);
}

function withTemplate(draft: NewKeyDraft, template: Template | undefined): NewKeyDraft {
  return template === undefined ? draft : { ...draft, ...template.settings, expiresAt: inDays(template.days) };
}

function withoutTemplate(draft: NewKeyDraft, origin: NewKeyDraft, template: Template | undefined): NewKeyDraft {
  const named = Object.entries(origin).filter(([name]) => template !== undefined && name in template.settings);
  return { ...draft, ...Object.fromEntries(named) };
}

function newKeyDraft(): NewKeyDraft {
  return { ...emptyDraft(), env: 'live', expiresAt: defaultExpiry('live'), signing: false };
}

/** Returns a draft with the settings of another key. The draft's lifetime is the same, and starts now. */
function draftLike(key: KeyDetailsFragment): NewKeyDraft {
  const lifetime = key.expiresAt === null ? null : Date.parse(key.expiresAt) - Date.parse(key.createdAt);
  return {
    ...draftOf(key),
    name: `Copy of ${key.name}`.slice(0, limits.nameCharacters),
    expiresAt: lifetime === null ? null : new Date(Date.now() + lifetime),
    env: key.env,
    signing: key.signingEnabled,
  };
}

function withParameters(draft: NewKeyDraft, parameters: URLSearchParams): NewKeyDraft {
  const parameter = parameters.get('env');
  const env = parameter === 'live' || parameter === 'test' ? parameter : draft.env;
  const expiresAt = env === draft.env ? draft.expiresAt : defaultExpiry(env);
  const signing = parameters.has('signing') ? parameters.get('signing') === 'on' : draft.signing;
  return { ...withLink({ ...draft, expiresAt }, parameters), env, signing };
}

export function inputOf(teamId: string, draft: NewKeyDraft): CreateKeyInput {
  return { teamId, env: draft.env, signing: draft.signing, ...valuesOf(draft) };
}

/** Returns a random id. Pages that are loaded over plain HTTP from another machine have no `crypto.randomUUID`. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
