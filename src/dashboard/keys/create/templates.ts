/** Settings to start from. The user can change all of them. */
import type { KeySettingsQuery } from '../../generated/graphql.ts';
import { inDays, newWish, type Wish, wishLike, withParameters } from './new-key-draft.ts';

export interface Template {
  readonly id: string;
  readonly label: string;
  readonly days: number;
  readonly settings: Partial<Wish>;
}

export const templates: readonly Template[] = [
  { id: 'service', label: 'Backend service', days: 90, settings: { env: 'live', tags: ['service'], signing: true } },
  { id: 'ci', label: 'CI job', days: 30, settings: { env: 'live', tags: ['ci'] } },
  {
    id: 'mobile',
    label: 'Mobile app',
    days: 365,
    // The users of an app can read its key, so that what it permits is limited.
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

/** What the form begins with. */
export interface Start {
  readonly wish: Wish;
  /** The id of the template; empty if there is none. */
  readonly template: string;
  /** Returns the settings without a template: those of the duplicated key, or of an empty form. */
  readonly origin: () => Wish;
  readonly isDuplicate: boolean;
  /** Whether the expiry is that of a template, a link or another key, and not the default of the environment. */
  readonly hasExpiry: boolean;
}

/** @param like the key to duplicate */
export function startOf(like: KeySettingsQuery['key'] | undefined, parameters: URLSearchParams): Start {
  const template = templateOf(parameters.get('template'));
  const origin = like === undefined ? newWish : () => withParameters(wishLike(like), parameters);
  return {
    wish: withParameters(withTemplate(origin(), template), parameters),
    template: template?.id ?? '',
    origin,
    isDuplicate: like !== undefined,
    hasExpiry: like !== undefined || template !== undefined || parameters.has('expires'),
  };
}

/**
 * Returns the settings of another template, or the original ones without a template. The name stays, and so does what
 * neither template names.
 */
export function changeTemplate(wish: Wish, origin: Wish, previous: string, next: string): Wish {
  const template = templateOf(next);
  if (template === undefined) return { ...origin, name: wish.name };
  return withTemplate(withoutTemplate(wish, origin, templateOf(previous)), template);
}

function templateOf(id: string | null): Template | undefined {
  return templates.find((template) => template.id === id);
}

function withTemplate(wish: Wish, template: Template | undefined): Wish {
  return template === undefined ? wish : { ...wish, ...template.settings, expiresAt: inDays(template.days) };
}

/** Returns the settings that a template names as they are without it. */
function withoutTemplate(wish: Wish, origin: Wish, template: Template | undefined): Wish {
  const named = Object.entries(origin).filter(([name]) => template !== undefined && name in template.settings);
  return { ...wish, ...Object.fromEntries(named) };
}
