import { createHash } from 'node:crypto';
import { credentialEnded } from '../../domain/access/credential.ts';
import { isAboutWorkload, mismatch, type TrustRule } from '../../domain/access/trust-rule.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { hasPassed } from '../../domain/moment.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Caller, Management } from '../management.ts';
import { frozenUntilOf } from './authenticate-management-key.ts';

/** A token whose issuer, signature and times were checked. */
export interface PresentedToken {
  readonly teamId: string;
  readonly issuer: string;
  readonly claims: JsonObject;
  readonly expiresAt: Date;
  readonly now: Date;
}

/**
 * Returns the first trust rule of the team that accepts a token, oldest first. A rule for one use remembers the token until
 * it expires. Throws UNAUTHENTICATED with the reason, UNAVAILABLE.
 * @param count counts the exchange by its rule before anything is stored. Throws RATE_LIMITED.
 */
export async function exchangeToken(
  { store }: Management,
  { teamId, issuer, claims, expiresAt, now }: PresentedToken,
  count: (rule: TrustRule) => void,
): Promise<TrustRule> {
  const rules = (await store.trustRules.list(teamId)).filter((rule) => rule.issuer === issuer);
  const rule = rules.find((one) => mismatch(one, claims) === null);
  if (rule === undefined) throw rejected(reasonOf(rules, claims));
  const use = rule.once ? useOf(rule, issuer, claims) : null;
  // Before it is counted: who has a token that was used must not use up the limit of the rule.
  if (use !== null && (await store.endedSessions.hasEnded([use.id], now))) throw usedBefore();
  count(rule);
  if (use !== null && !(await store.endedSessions.endOnce(use.id, expiresAt, use.holder))) throw usedBefore();
  return rule;
}

/**
 * Other workloads of the issuer learn nothing of the rules: many issuers are public, so anyone can have tokens of them, and
 * the ids of teams are no secrets.
 */
function reasonOf(rules: readonly TrustRule[], claims: JsonObject): string {
  const reasons = rules.filter((rule) => isAboutWorkload(rule, claims)).map((rule) => mismatch(rule, claims));
  return reasons.join('; or ') || 'no trust rule of the team is for this workload';
}

/** The use of a token by a rule is stored as the end of a session is, and as the use of a sign-in link is. */
function useOf({ id }: TrustRule, issuer: string, claims: JsonObject) {
  const name = JSON.stringify([issuer, 'jti', id, claims.jti]);
  return { id: createHash('sha256').update(name).digest('base64url'), holder: `trust rule ${id}` };
}

function usedBefore(): LatchkeyError {
  return rejected('it was exchanged before');
}

export interface PresentedWorkload extends Pick<Caller, 'source' | 'requestId' | 'now'> {
  readonly ruleId: string;
  readonly subject: string;
}

/**
 * Returns the caller with a token that was exchanged by a rule. Reads the rule for each call, so that its removal counts
 * from the next call on. Throws UNAUTHENTICATED, UNAVAILABLE.
 */
export async function authenticateWorkload(
  management: Management,
  { ruleId, subject, ...call }: PresentedWorkload,
): Promise<Caller> {
  const { store, credentialUse } = management;
  const rule = await store.trustRules.find(ruleId);
  const isFrozen = rule !== null && !hasPassed(await frozenUntilOf(management, rule), call.now.getTime());
  if (rule === null || isFrozen) throw credentialEnded({ kind: 'TRUST_RULE' });
  const { id, teamId, permissions } = rule;
  // A rule is no secret that could be used from elsewhere, so its sources say nothing.
  credentialUse.record({ id, teamId, presentedVersion: 1 }, null, 'VALID', call.now);
  return {
    ...call,
    session: { subject, teams: new Map([[teamId, new Set(permissions)]]), teamNames: new Map() },
    actorKind: 'WORKLOAD',
    credential: { kind: 'TRUST_RULE', id },
  };
}

function rejected(reason: string): LatchkeyError {
  return new LatchkeyError('UNAUTHENTICATED', `The token can't be exchanged: ${reason}.`);
}
