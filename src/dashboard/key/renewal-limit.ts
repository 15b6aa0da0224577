import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { formatTime } from '../components/format.ts';
import { renewalOf } from '../key-form/renewal.ts';
import type { Key } from './key-change.ts';

/** Says how far the policy lets a key be renewed; null if it does not matter. */
export function renewalLimit(apiKey: Key, rules: PolicyRules | undefined) {
  if (apiKey.expiresAt === null || apiKey.state === 'REVOKED') return null;
  const renewal = renewalOf(apiKey, rules, Date.now());
  if (renewal === null) {
    return { isReached: true, text: 'The policy permits no later expiry with this secret: rotate the key first.' };
  }
  if (!renewal.isShortened) return null;
  return { isReached: false, text: `The policy permits less: the key is renewed until ${formatTime(renewal.at)}.` };
}
