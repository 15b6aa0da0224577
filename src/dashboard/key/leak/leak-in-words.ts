import type { Key } from '../key-change.ts';

type Leak = NonNullable<Key['leak']>;

/** Returns who reported a leak, as people say it; null if an earlier version of Latchkey did not record it. */
export function reporterOf({ reporter }: Pick<Leak, 'reporter'>): string | null {
  return reporter === null ? null : (reporters[reporter] ?? reporter);
}

const reporters: Readonly<Record<string, string>> = { github: 'GitHub', 'leak scanner': 'your leak scanner' };

/** Says what happens to a leaked secret if its key is enabled; null for a key without a leak. */
export function enabledLeak({ leak }: { readonly leak: Pick<Leak, 'prefix'> | null }): string | null {
  return leak === null
    ? null
    : `The leaked secret ${leak.prefix} works again, for everyone who has found it. Issue a new secret first.`;
}
