/** Settings to start from. The user can change all of them. */
import { inDays, type Wish } from './wish.ts';

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
    settings: { env: 'live', tags: ['mobile'], limit: 60, windowSeconds: '60' },
  },
  {
    id: 'partner',
    label: 'Partner',
    days: 365,
    settings: { env: 'live', tags: ['partner'], limit: 600, windowSeconds: '60' },
  },
  { id: 'development', label: 'Development', days: 30, settings: { env: 'test', tags: ['development'] } },
];

/** Returns the settings of a template; those that it does not name stay as they are. */
export function fromTemplate(wish: Wish, id: string | null): Wish {
  const template = templates.find((template) => template.id === id);
  return template === undefined ? wish : { ...wish, ...template.settings, expiresAt: inDays(template.days) };
}
