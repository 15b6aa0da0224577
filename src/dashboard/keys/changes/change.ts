/** The changes that can be made to several keys: which keys each one changes, and how. */
import { execute } from '../../api/execute.ts';
import type { KeyRowFragment } from '../../generated/graphql.ts';
import { changeListedKey, disableListedKey, enableListedKey, revokeListedKey } from '../operations.ts';
import { renewalDays, renewedExpiry } from '../renewal.ts';
import type { ChangeKind } from './change-kind.ts';

export type Key = KeyRowFragment;

/** What the user enters for a change. */
export interface Details {
  /** For the audit trail. */
  readonly reason: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export const noDetails: Details = { reason: '', added: [], removed: [] };

export interface Change {
  /** As in "Revoke 3 keys". */
  readonly verb: string;
  /** As in "3 keys were revoked". */
  readonly done: string;
  readonly text: string;
  /** Returns why the key stays as it is, or null if it is changed. */
  readonly obstacle: (key: Key, details: Details) => string | null;
  /** Returns what the key will have, if the keys differ in it. */
  readonly effect?: (key: Key, details: Details) => string;
  readonly apply: (key: Key, details: Details) => Promise<unknown>;
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const ifNotRevoked = ({ state }: Key) => (state === 'REVOKED' ? 'already revoked' : null);
const reasonOf = ({ reason }: Details) => (reason.trim() === '' ? null : reason.trim());

const revoke: Change = {
  verb: 'Revoke',
  done: 'revoked',
  text: 'Revoked keys are rejected immediately on every instance. They can’t be restored.',
  obstacle: ifNotRevoked,
  apply: ({ id }) => execute(revokeListedKey, { id }),
};

const disable: Change = {
  verb: 'Disable',
  done: 'disabled',
  text: 'Disabled keys are rejected immediately, until they are enabled.',
  obstacle: (key) => ifNotRevoked(key) ?? (key.state === 'DISABLED' ? 'already disabled' : null),
  apply: ({ id }, details) => execute(disableListedKey, { id, reason: reasonOf(details) }),
};

const enable: Change = {
  verb: 'Enable',
  done: 'enabled',
  text: 'Enabled keys are accepted again, unless they have expired.',
  obstacle: (key) => ifNotRevoked(key) ?? (key.state === 'DISABLED' ? null : 'not disabled'),
  apply: ({ id }, details) => execute(enableListedKey, { id, reason: reasonOf(details) }),
};

const renew: Change = {
  verb: 'Renew',
  done: 'renewed',
  text: `Each key is extended by ${renewalDays} days. Expired keys work again.`,
  obstacle: (key) => ifNotRevoked(key) ?? (key.expiresAt == null ? 'never expires' : null),
  effect: (key) => {
    const expiry = renewedExpiry(key, Date.now());
    return expiry === null ? '' : `until ${day.format(expiry)}`;
  },
  apply: async (key) => {
    const expiresAt = renewedExpiry(key, Date.now())?.toISOString() ?? null;
    // Only if the key was not changed meanwhile, because the new expiry is computed from the old one.
    return (await execute(changeListedKey, { id: key.id, input: { expiresAt }, ifRevision: [key.revision] })).updateKey;
  },
};

const tag: Change = {
  verb: 'Tag',
  done: 'tagged',
  text: 'Other tags of the keys stay.',
  obstacle: (key, details) => ifNotRevoked(key) ?? (sameTags(key, details) ? 'has these tags already' : null),
  effect: (key, details) => tagsAfter(key, details).join(', ') || 'no tags',
  apply: (key, details) => {
    const input = { tags: tagsAfter(key, details) };
    return execute(changeListedKey, { id: key.id, input, ifRevision: [key.revision] });
  },
};

export const changes: Readonly<Record<ChangeKind, Change>> = { revoke, disable, enable, renew, tag };

function tagsAfter({ tags }: Key, { added, removed }: Details): string[] {
  return [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag));
}

function sameTags(key: Key, details: Details): boolean {
  const after = tagsAfter(key, details);
  return after.length === key.tags.length && after.every((tag) => key.tags.includes(tag));
}
