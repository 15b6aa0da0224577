import type { Credential } from '../../domain/access/credential.ts';
import { fenceable } from '../../domain/access/management-key.ts';
import { frozenUntil } from '../../domain/fence/fence.ts';
import { hasPassed } from '../../domain/moment.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { fencesOf } from './fence-rows.ts';

type Client = Pick<Prisma.TransactionClient, 'managementKey' | 'trustRule' | 'fence'>;

/**
 * Returns whether each of the credentials is accepted still, as a transaction sees it: it exists, and no fence covers it.
 * Their expiry was checked before.
 */
export async function acceptedCredentials(
  { managementKey, trustRule, fence }: Client,
  credentials: readonly Credential[],
  now: Date,
): Promise<(credential: Credential) => boolean> {
  const idsOf = (kind: Credential['kind']) => ({
    in: [...new Set(credentials.filter((one) => one.kind === kind).map(({ id }) => id))],
  });
  const [keyIds, ruleIds] = [idsOf('MANAGEMENT_KEY'), idsOf('TRUST_RULE')];
  const keys = keyIds.in.length === 0 ? [] : await managementKey.findMany({ where: { id: keyIds, revokedAt: null } });
  const rules = ruleIds.in.length === 0 ? [] : await trustRule.findMany({ where: { id: ruleIds } });
  const keyWithId = new Map(keys.map((key) => [key.id, key]));
  const teamIds = [...new Set([...keys, ...rules].map(({ teamId }) => teamId))];
  const fences = teamIds.length === 0 ? [] : await fencesOf({ fence }, teamIds);
  const isFrozen = (program: { readonly teamId: string; readonly createdBy: string; readonly createdAt: Date }) => {
    const ofTeam = fences.filter(({ teamId }) => teamId === program.teamId);
    return !hasPassed(frozenUntil(ofTeam, fenceable(program)), now.getTime());
  };
  const rulesWithId = new Set(rules.filter((rule) => !isFrozen(rule)).map(({ id }) => id));
  return (credential) => {
    if (credential.kind === 'TRUST_RULE') return rulesWithId.has(credential.id);
    const key = keyWithId.get(credential.id);
    if (key === undefined || isFrozen(key)) return false;
    const isPrevious = credential.secretVersion === key.secretVersion - 1 && key.previousDigest !== null;
    return credential.secretVersion === key.secretVersion || isPrevious;
  };
}
