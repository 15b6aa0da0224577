import { randomUUID } from 'node:crypto';
import { parseGranted } from '../../domain/access/management-key.ts';
import { parseClaims, type TrustRule } from '../../domain/access/trust-rule.ts';
import type { EventAction } from '../../domain/event/event-types.ts';
import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { parseLine } from '../../domain/text.ts';
import { accepted, rejected } from '../../lib/parsed.ts';
import { type Change, Decision, type NewEntry } from '../../store/changes/change.ts';
import { insertTrustRule, removeTrustRule, trustRuleCount, trustRuleWithId } from '../../store/rows/trust-rules.ts';
import { authorizeTeam, type Caller, entryBy, type Management } from '../management.ts';
import { authorizeCredential, rejectAbove, revocationsOf } from './credentials.ts';

export interface CreateTrustRuleInput {
  readonly teamId: string;
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  /** An object from the names of claims to their exact values. */
  readonly claims: unknown;
  readonly permissions: readonly string[];
  readonly once?: boolean | null | undefined;
}

/**
 * Lets workloads with certain tokens of an issuer manage the keys of a team, with at most the permissions of the caller.
 * Needs `manage_access`.
 * Throws FORBIDDEN, BAD_USER_INPUT (name, issuer, audience, claims, permissions), CREDENTIAL_LIMIT_REACHED, RATE_LIMITED,
 * UNAVAILABLE.
 */
export async function createTrustRule(
  { store, budget, trustedIssuers }: Management,
  caller: Caller,
  input: CreateTrustRuleInput,
): Promise<TrustRule> {
  const { teamId } = input;
  authorizeTeam(caller, teamId, 'manage_access');
  const fields = parseFields({
    name: settings.name.parse(input.name),
    issuer: trustedIssuers.includes(input.issuer)
      ? accepted(input.issuer)
      : rejected(`must be one of TRUSTED_ISSUERS: ${trustedIssuers.join(', ') || 'the operator has set none'}`),
    audience: parseLine(input.audience, limits.claimCharacters),
    claims: parseClaims(input.claims),
    permissions: parseGranted(input.permissions, caller.session.teams.get(teamId) ?? new Set()),
  });
  budget.check(teamId);
  const rule: TrustRule = {
    ...fields,
    id: randomUUID(),
    teamId,
    once: input.once ?? false,
    createdAt: caller.now,
    createdBy: caller.session.subject,
  };
  // Rejects most calls above the limit without a transaction.
  rejectAbove(await store.trustRules.count(teamId), limits.trustRules, 'trust rule');
  const change: Change<TrustRule, number> = {
    queueKey: teamId,
    caller,
    load: trustRuleCount(teamId),
    decide: (count) => {
      rejectAbove(count, limits.trustRules, 'trust rule');
      const entries = [ruleEntry(caller, 'ACCESS_RULE_CREATED', rule)];
      return new Decision(rule, { entries, rows: [insertTrustRule(rule)] });
    },
  };
  return await store.changes.submit(budget.counted(change));
}

/** Returns the trust rules of a team, oldest first. Needs `manage_access`. Throws FORBIDDEN, UNAVAILABLE. */
export async function listTrustRules({ store }: Management, caller: Caller, teamId: string): Promise<TrustRule[]> {
  authorizeTeam(caller, teamId, 'manage_access');
  return await store.trustRules.list(teamId);
}

/**
 * Removes a trust rule. When this returns, no instance accepts a token that was exchanged by it, and no change made with
 * one is committed anymore. Needs `manage_access` on its team. Throws CREDENTIAL_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function deleteTrustRule({ store }: Management, caller: Caller, id: string): Promise<void> {
  const { teamId } = authorizeCredential(caller, await store.trustRules.find(id), 'trust rule');
  await store.changes.submit<void, TrustRule | null>({
    queueKey: revocationsOf(teamId),
    caller,
    load: trustRuleWithId(id),
    decide: (found) => {
      const rule = authorizeCredential(caller, found, 'trust rule');
      const entries = [ruleEntry(caller, 'ACCESS_RULE_DELETED', rule)];
      return new Decision(undefined, { entries, rows: [removeTrustRule(id)] });
    },
  });
}

function ruleEntry(caller: Caller, action: EventAction, rule: TrustRule): NewEntry {
  const { id, teamId, name, issuer, audience, claims, permissions, once } = rule;
  const shown = {
    name,
    issuer,
    audience,
    permissions,
    once,
    claims: Object.entries(claims).map(([k, v]) => `${k}: ${v}`),
  };
  const isNew = action === 'ACCESS_RULE_CREATED';
  return {
    ...entryBy(caller),
    action,
    keyId: id,
    teamId,
    changes: Object.entries(shown).map(([field, value]) =>
      isNew ? { field, before: null, after: value } : { field, before: value, after: null },
    ),
    details: { trustRule: { id, name, issuer } },
  };
}
