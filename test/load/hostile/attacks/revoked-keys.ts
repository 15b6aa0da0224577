/**
 * A team with 100,000 revoked keys, as many as it can collect in five hours, searches them by name and by tags, and asks
 * for prefixes that no key has. Others read and revoke their keys.
 */

import { join } from 'node:path';
import { limits } from '../../../../src/domain/limits.ts';
import { progress } from '../../../harness/print.ts';
import { addManyKeys } from '../../../support/many-keys.ts';
import { rawRequest } from '../../raw-connection.ts';
import type { Attack } from '../attack.ts';
import { flood } from '../load.ts';
import { managedKeys, measureManagement, newTenant, type Tenant } from '../tenants.ts';

const revokedKeys = 100_000;
const connections = 16;
const prefixes = 15;
/** As many and as long as a key can have. */
const tags = Array.from({ length: limits.tags }, (_, i) => `${i}`.padStart(limits.tagCharacters, 't'));

export const revokedKeysOfATeam: Attack = {
  name: 'revoked-keys',
  run: async (stage) => {
    const server = await stage.start();
    const [victim, attacker] = [newTenant(), newTenant()];
    progress(`adding ${revokedKeys} revoked keys`);
    const url = `file:${join(stage.directory, 'latchkey.db')}`;
    const added = {
      teamId: attacker.team,
      count: revokedKeys,
      revoked: true,
      name: 'k'.repeat(90),
      settings: { tags },
    };
    await addManyKeys(url, added);
    const keys = await addManyKeys(url, { teamId: victim.team, count: managedKeys, revoked: false });
    const begin = () => flood(server.url, searches(attacker), connections, { expected: '"data"' });
    return await measureManagement(server, victim, keys, begin);
  },
};

function searches({ team, token }: Tenant): readonly string[] {
  const search = `query ($t: UUID!, $f: KeyFilter) {
    keys(teamId: $t, first: 1, filter: $f, orderBy: { field: NAME, direction: ASC }) { nodes { id } totalCount }
  }`;
  const numbers = Array.from({ length: prefixes }, (_, i) => i);
  const fields = numbers.map((i) => `p${i}: explainVerification(input: $i${i}) { code }`);
  const variables = numbers.map((i) => `$i${i}: ExplainVerificationInput!`);
  const inputs = numbers.map((i) => [`i${i}`, { teamId: team, prefix: `lk_live_AAAAAA${String(i).padStart(2, '0')}` }]);
  // Each key has all tags but the last one.
  const filters = [{ search: `${'k'.repeat(60)}z` }, { tags: [...tags.slice(1), 'another'] }];
  return [
    ...filters.map((filter) => ({ query: search, variables: { t: team, f: { state: ['REVOKED'], ...filter } } })),
    { query: `query (${variables.join(', ')}) { ${fields.join(' ')} }`, variables: Object.fromEntries(inputs) },
  ].map((body) => rawRequest({ method: 'POST', path: '/graphql', token, body }));
}
