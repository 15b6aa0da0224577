/** The changes that can be made to several keys: which keys each one changes, and how. */
import { limits } from '../../../domain/limits.ts';
import { dayMs } from '../../../domain/moment.ts';
import { formatNumber } from '../../components/format.ts';
import type { KeyRowFragment, KeysAction, UpdateKeyInput } from '../../generated/graphql.ts';
import { renewalDays } from '../../key-form/expiry.ts';
import { renewalOf } from '../../key-form/renewal.ts';
import type { TeamPolicies } from '../../policy/policy.ts';

/** A list may show keys without their tags, which only changes of tags need. */
export type Key = KeyRowFragment & { readonly tags?: string[] };

export interface Details {
  /** For the audit trail; empty for changes without a reason. */
  readonly reason: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Within which keys are renewed. */
  readonly policies: TeamPolicies;
}

export type ChangeKind = 'revoke' | 'disable' | 'enable' | 'renew' | 'tag';

export const noDetails: Details = { reason: '', added: [], removed: [], policies: {} };

export interface BulkChange {
  readonly verb: string;
  readonly done: string;
  readonly text: string;
  /** Returns why the key stays as it is, or null if it is changed. */
  readonly obstacle: (key: Key, details: Details) => string | null;
  /** Returns the result for one key, such as its new expiry. Absent if the result is the same for all keys. */
  readonly effect?: (key: Key, details: Details) => string;
  /** Returns why the change of a key is dangerous; null if it is not. */
  readonly risk?: (key: Key) => string | null;
  readonly action: KeysAction;
  readonly settings?: (key: Key, details: Details) => UpdateKeyInput;
  /** What restores the keys. Absent for a change that is final. */
  readonly undo?: Pick<BulkChange, 'action' | 'settings'>;
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const ifNotRevoked = ({ state }: Key) => (state === 'REVOKED' ? 'already revoked' : null);

/** Why a key is not renewed that expires as late as the policy permits, or later. */
export const beyondPolicy = 'can’t be renewed within the policy with this secret: rotate it first';

export const changes: Readonly<Record<ChangeKind, BulkChange>> = {
  revoke: {
    verb: 'Revoke',
    done: 'revoked',
    text: 'Revoked keys are rejected immediately on every instance. They can’t be restored.',
    obstacle: ifNotRevoked,
    action: 'REVOKE',
  },
  disable: {
    verb: 'Disable',
    done: 'disabled',
    text: 'Disabled keys are rejected immediately, until they are enabled.',
    obstacle: (key) => ifNotRevoked(key) ?? (key.state === 'DISABLED' ? 'already disabled' : null),
    action: 'DISABLE',
    undo: { action: 'ENABLE' },
  },
  enable: {
    verb: 'Enable',
    done: 'enabled',
    text: 'Enabled keys are accepted again, unless they have expired.',
    obstacle: (key) => ifNotRevoked(key) ?? (key.state === 'DISABLED' ? null : 'not disabled'),
    risk: leakRisk,
    action: 'ENABLE',
    undo: { action: 'DISABLE' },
  },
  renew: {
    verb: 'Renew',
    done: 'renewed',
    text: `Each key is extended by ${renewalDays} days, or as far as the policy permits. Expired keys work again.`,
    obstacle: (key, details) =>
      ifNotRevoked(key) ??
      (key.expiresAt === null ? 'never expires' : null) ??
      (renewed(key, details) === null ? beyondPolicy : null),
    effect: (key, details) => {
      const renewal = renewed(key, details);
      if (renewal === null) return '';
      return `until ${day.format(renewal.at)}${renewal.isShortened ? ', as late as the policy permits' : ''}`;
    },
    risk: (key) => (key.state === 'EXPIRED' ? leakRisk(key) : null),
    action: 'UPDATE',
    settings: (key, details) => ({ expiresAt: renewed(key, details)?.at.toISOString() ?? key.expiresAt }),
    undo: { action: 'UPDATE', settings: ({ expiresAt }) => ({ expiresAt }) },
  },
  tag: {
    verb: 'Tag',
    done: 'tagged',
    text: 'Other tags of the keys stay.',
    obstacle: (key, details) =>
      ifNotRevoked(key) ??
      (sameTags(key, details) ? 'has these tags already' : null) ??
      (tagsAfter(key, details).length > limits.tags ? `would have more than ${limits.tags} tags` : null),
    effect: (key, details) => tagsAfter(key, details).join(', ') || 'no tags',
    action: 'UPDATE',
    settings: (key, details) => ({ tags: tagsAfter(key, details) }),
    undo: { action: 'UPDATE', settings: (key) => ({ tags: tagsOf(key) }) },
  },
};

function renewed(key: Key, { policies }: Details) {
  return renewalOf(key, policies[key.env]?.effective, Date.now());
}

/** Why it is dangerous that a key is accepted again. */
function leakRisk({ leak }: Key): string | null {
  return leak === null ? null : `has leaked: everyone who has found ${leak.prefix} can use it again`;
}

/** Says what was changed: `“Billing” is disabled.`, or `3 keys disabled.` */
export function inWords({ done, effect }: BulkChange, keys: readonly Key[], details: Details): string {
  const [first] = keys;
  if (first === undefined || keys.length > 1) return `${countOf(keys)} ${done}.`;
  return `“${first.name}” is ${done}${effect === undefined ? '' : ` (${effect(first, details)})`}.`;
}

/** Says how many keys were used in the last day and hour; null if no key was. */
export function recentUseOf(keys: readonly Key[], now: number): string | null {
  const usedIn = (ms: number) => keys.filter(({ lastUsedAt }) => now - Date.parse(lastUsedAt ?? '') <= ms).length;
  const [day, hour] = [usedIn(dayMs), usedIn(dayMs / 24)];
  if (day === 0) return null;
  if (keys.length === 1) return `It was used in the last ${hour > 0 ? 'hour' : 'day'}.`;
  return `${formatNumber(day)} of them were used in the last day, ${formatNumber(hour)} in the last hour.`;
}

/** Counts the keys that stay as they are, by the reason: `3 already revoked, 1 would have more than 20 tags`. */
export function reasonsIn(reasons: readonly (string | null)[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${formatNumber(count)} ${reason}`).join(', ');
}

export function countOf(keys: readonly unknown[]): string {
  return keys.length === 1 ? '1 key' : `${formatNumber(keys.length)} keys`;
}

/** Throws if the tags were not read, because a change would remove them. */
function tagsOf({ tags }: Key): string[] {
  if (tags === undefined) throw new Error('the tags of the key were not read');
  return tags;
}

function tagsAfter(key: Key, { added, removed }: Details): string[] {
  return [...new Set([...tagsOf(key), ...added])].filter((tag) => !removed.includes(tag));
}

function sameTags(key: Key, details: Details): boolean {
  const after = tagsAfter(key, details);
  const before = tagsOf(key);
  return after.length === before.length && after.every((tag) => before.includes(tag));
}
