/** Drafts of new keys, and the settings that they start from: templates, another key or a link. */
import { limits } from '../../../domain/limits.ts';
import { dayMs } from '../../../domain/moment.ts';
import type { KeyDefaults } from '../../../domain/policy/key-defaults.ts';
import type { PolicyRules } from '../../../domain/policy/key-policy.ts';
import type { CreateKeyInput, KeyDetailsFragment, KeyEnv } from '../../generated/graphql.ts';
import { defaultExpiry } from '../../key-form/expiry.ts';
import { expiryBounds, withinPolicy } from '../../key-form/expiry-bounds.ts';
import type { KeyDraft } from '../../key-form/fields.ts';
import { draftOf, valuesOf, withLink } from '../../key-form/key-draft.ts';

export interface NewKeyDraft extends KeyDraft {
  readonly env: KeyEnv;
  /** Whether requests must be signed. */
  readonly signing: boolean;
  readonly tripwire: boolean;
  /** The id of the template that the settings are from; empty for none. */
  readonly template: string;
}

type Preset = Pick<NewKeyDraft, 'env' | 'expiresAt' | 'tags'> & Partial<Pick<NewKeyDraft, 'rateLimit' | 'signing'>>;

interface Template {
  readonly id: string;
  readonly label: string;
  readonly settings: Preset;
}

export const templates: readonly Template[] = [
  {
    id: 'service',
    label: 'Backend service',
    settings: { env: 'live', expiresAt: 90, tags: ['service'], signing: true },
  },
  { id: 'ci', label: 'CI job', settings: { env: 'live', expiresAt: 30, tags: ['ci'] } },
  {
    id: 'mobile',
    label: 'Mobile app',
    // Users can extract an app's key, so it has a rate limit.
    settings: { env: 'live', expiresAt: 365, tags: ['mobile'], rateLimit: { limit: 60, windowSeconds: 60 } },
  },
  {
    id: 'partner',
    label: 'Partner',
    settings: { env: 'live', expiresAt: 365, tags: ['partner'], rateLimit: { limit: 600, windowSeconds: 60 } },
  },
  { id: 'development', label: 'Development', settings: { env: 'test', expiresAt: 30, tags: ['development'] } },
];

/** The settings for which policies have defaults, with the parameter of a link that sets each. */
const defaulted = { expiresAt: 'expires', allowedIps: 'source', scopes: 'scope', rateLimit: 'limit' } as const;
type Defaulted = keyof typeof defaulted;

export interface Start {
  readonly draft: NewKeyDraft;
  /** The settings without a template: those of the duplicated key, or of an empty form. */
  readonly origin: NewKeyDraft;
  readonly isDuplicate: boolean;
  /** Which settings come from a template, a link or another key, so that they have no default. */
  readonly given: Readonly<Record<Defaulted, boolean>>;
}

/** @param like the key to duplicate */
export function startOf(like: KeyDetailsFragment | undefined, parameters: URLSearchParams): Start {
  const origin = like === undefined ? newKeyDraft : withParameters(draftLike(like), parameters);
  const draft = withParameters(withTemplate(origin, origin, parameters.get('template')), parameters);
  return {
    draft,
    origin,
    isDuplicate: like !== undefined,
    given: givenBy((name) => like !== undefined || hasIn(draft.template, name) || parameters.has(defaulted[name])),
  };
}

function givenBy(isGiven: (name: Defaulted) => boolean): Start['given'] {
  // Each name gets its own value.
  return Object.fromEntries(
    (Object.keys(defaulted) as Defaulted[]).map((name) => [name, isGiven(name)]),
  ) as Start['given'];
}

function hasIn(template: string, name: Defaulted): boolean {
  return name in (templates.find(({ id }) => id === template)?.settings ?? {});
}

/** Returns which settings are given once a template is chosen. Without one, those of the start. */
export function givenAfter(template: string, start: Start, isTouched: (name: Defaulted) => boolean): Start['given'] {
  return givenBy((name) =>
    template === '' ? start.isDuplicate : hasIn(template, name) || (name !== 'expiresAt' && isTouched(name)),
  );
}

/** Returns the draft with the defaults of the policy for the settings that nobody gave. */
export function withDefaults(
  draft: NewKeyDraft,
  defaults: KeyDefaults | undefined,
  isGiven: (name: Defaulted) => boolean,
): NewKeyDraft {
  if (defaults === undefined) return draft;
  const { lifetimeSeconds, allowedIps, scopes, rateLimit } = defaults;
  return {
    ...draft,
    ...(!isGiven('expiresAt') && lifetimeSeconds !== null && { expiresAt: (lifetimeSeconds * 1000) / dayMs }),
    ...(!isGiven('allowedIps') && allowedIps.length > 0 && { allowedIps: allowedIps.join('\n') }),
    ...(!isGiven('scopes') && scopes.length > 0 && { scopes }),
    ...(!isGiven('rateLimit') && rateLimit !== null && { rateLimit }),
  };
}

/** Returns the draft with the settings of a template. Without one, only the name is kept. */
export function changeTemplate(draft: NewKeyDraft, origin: NewKeyDraft, id: string): NewKeyDraft {
  return id === '' ? { ...origin, name: draft.name } : withTemplate(draft, origin, id);
}

/** Keeps the settings that no template has. */
function withTemplate(draft: NewKeyDraft, origin: NewKeyDraft, id: string | null): NewKeyDraft {
  const template = templates.find((template) => template.id === id);
  if (template === undefined) return draft;
  const { rateLimit, signing } = origin;
  return { ...draft, rateLimit, signing, ...template.settings, template: template.id };
}

const newKeyDraft: NewKeyDraft = {
  ...draftOf(),
  env: 'live',
  expiresAt: defaultExpiry('live'),
  signing: false,
  tripwire: false,
  template: '',
};

/** Returns a draft with the settings of another key, and with its lifetime in whole days. */
function draftLike(key: KeyDetailsFragment): NewKeyDraft {
  const lifetimeMs = key.expiresAt === null ? null : Date.parse(key.expiresAt) - Date.parse(key.createdAt);
  return {
    ...draftOf(key),
    name: `Copy of ${key.name}`.slice(0, limits.nameCharacters),
    expiresAt: lifetimeMs === null ? null : Math.max(1, Math.round(lifetimeMs / dayMs)),
    env: key.env,
    signing: key.signingEnabled,
    tripwire: key.tripwire,
    template: '',
  };
}

function withParameters(draft: NewKeyDraft, parameters: URLSearchParams): NewKeyDraft {
  const parameter = parameters.get('env');
  const env = parameter === 'live' || parameter === 'test' ? parameter : draft.env;
  const expiresAt = env === draft.env ? draft.expiresAt : defaultExpiry(env);
  const signing = parameters.has('signing') ? parameters.get('signing') === 'on' : draft.signing;
  return { ...draft, ...withLink({ ...draft, expiresAt }, parameters), env, signing };
}

/** Returns the draft with what the policy demands, where that leaves nothing to decide. */
export function governed(draft: NewKeyDraft, rules: PolicyRules | undefined, now: number): NewKeyDraft {
  if (rules === undefined) return draft;
  return {
    ...withinPolicy(draft, rules, expiryBounds(rules), now),
    signing: draft.signing || rules.requireSigning,
  };
}

/**
 * Returns the input without the settings that nobody gave. What is sent is a choice of the creator, so the defaults
 * of the policy, which a creator without `view_team` can't see, would not apply.
 */
export function givenOf(
  { expiresAt, allowedIps, scopes, rateLimit, ...input }: CreateKeyInput,
  isGiven: (name: Defaulted) => boolean,
): CreateKeyInput {
  return {
    ...input,
    ...(isGiven('expiresAt') && { expiresAt }),
    ...(isGiven('allowedIps') && { allowedIps }),
    ...(isGiven('scopes') && { scopes }),
    ...(isGiven('rateLimit') && { rateLimit }),
  };
}

/** @param now the moment from which an expiry in days counts, the same for all attempts to create one key */
export function inputOf(teamId: string, draft: NewKeyDraft, now: number): CreateKeyInput {
  const { env, signing, tripwire } = draft;
  return { teamId, env, signing, tripwire, ...valuesOf(draft, now) };
}

/** Returns a random id. Pages that are loaded over plain HTTP from another machine have no `crypto.randomUUID`. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
