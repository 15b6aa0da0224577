import { createHash } from 'node:crypto';
import { credentialEnded } from '../../domain/access/credential.ts';
import { mismatch, type TrustRule } from '../../domain/access/trust-rule.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { parseIpAddress } from '../../domain/source/ip-address.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Caller, Management } from '../management.ts';

/** A token whose issuer, signature and times were checked. */
export interface PresentedToken {
  readonly teamId: string;
  readonly issuer: string;
  readonly claims: JsonObject;
  readonly expiresAt: Date;
}

/**
 * Returns the first trust rule of the team that accepts a token, oldest first. A rule for one use remembers the token until
 * it expires. Throws UNAUTHENTICATED with the reason, UNAVAILABLE.
 */
export async function exchangeToken(
  { store }: Management,
  { teamId, issuer, claims, expiresAt }: PresentedToken,
): Promise<TrustRule> {
  const rules = (await store.trustRules.list(teamId)).filter((rule) => rule.issuer === issuer);
  if (rules.length === 0) throw rejected('the team has no trust rule for its issuer');
  const judged = rules.map((rule) => ({ rule, problem: mismatch(rule, claims) }));
  const rule = judged.find(({ problem }) => problem === null)?.rule;
  if (rule === undefined) throw rejected(judged.map(({ problem }) => problem).join('; or '));
  if (rule.once && !(await useUp(store, rule, { issuer, claims, expiresAt })))
    throw rejected('it was exchanged before');
  return rule;
}

/** Returns false if the token was used by the rule before. Ends of sessions and uses of sign-in links are stored there too. */
async function useUp(
  { endedSessions }: Management['store'],
  { id }: TrustRule,
  { issuer, claims, expiresAt }: Omit<PresentedToken, 'teamId'>,
): Promise<boolean> {
  const name = JSON.stringify([issuer, 'jti', id, claims.jti]);
  return await endedSessions.end(createHash('sha256').update(name).digest('base64url'), expiresAt, `trust rule ${id}`);
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
  { store, credentialUse }: Management,
  { ruleId, subject, ...call }: PresentedWorkload,
): Promise<Caller> {
  const rule = await store.trustRules.find(ruleId);
  if (rule === null) throw credentialEnded({ kind: 'TRUST_RULE' });
  const { id, teamId, permissions } = rule;
  const address = call.source === null ? null : parseIpAddress(call.source);
  credentialUse.record({ id, teamId, presentedVersion: 1 }, address, 'VALID', call.now);
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
