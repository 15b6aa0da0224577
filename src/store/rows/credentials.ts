import type { Credential } from '../../domain/access/credential.ts';
import type { Prisma } from '../generated/sqlite/client.ts';

type Client = Pick<Prisma.TransactionClient, 'managementKey' | 'trustRule'>;

/** Returns whether each of the credentials is accepted still, as a transaction sees it. Their expiry was checked before. */
export async function acceptedCredentials(
  { managementKey, trustRule }: Client,
  credentials: readonly Credential[],
): Promise<(credential: Credential) => boolean> {
  const idsOf = (kind: Credential['kind']) => ({
    in: [...new Set(credentials.filter((one) => one.kind === kind).map(({ id }) => id))],
  });
  const [keyIds, ruleIds] = [idsOf('MANAGEMENT_KEY'), idsOf('TRUST_RULE')];
  const keys = keyIds.in.length === 0 ? [] : await managementKey.findMany({ where: { id: keyIds, revokedAt: null } });
  const rules =
    ruleIds.in.length === 0 ? [] : await trustRule.findMany({ where: { id: ruleIds }, select: { id: true } });
  const keyWithId = new Map(keys.map((key) => [key.id, key]));
  const rulesWithId = new Set(rules.map(({ id }) => id));
  return (credential) => {
    if (credential.kind === 'TRUST_RULE') return rulesWithId.has(credential.id);
    const key = keyWithId.get(credential.id);
    if (key === undefined) return false;
    const isPrevious = credential.secretVersion === key.secretVersion - 1 && key.previousDigest !== null;
    return credential.secretVersion === key.secretVersion || isPrevious;
  };
}
