/**
 * 16 connections of one caller send documents with as many changes as one may have, half of which change nothing. Others
 * read and revoke their keys.
 */
import type { BenchServer } from '../../bench/server.ts';
import type { Attack } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad } from '../load.ts';
import { measureManagement, victimKeys } from '../management-victims.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, type Tenant } from '../tenants.ts';

const connections = 16;
const changesPerDocument = 10;

export const manyChanges: Attack = {
  name: 'many-changes',
  run: async (stage) => {
    const server = await stage.start({ TEAM_CHANGES_PER_HOUR: '100000000' });
    const victim = newTenant();
    const keyIds = async (tenant: Tenant, count: number) => {
      const ids: string[] = [];
      while (ids.length < count) ids.push((await createKey(server, tenant)).id);
      return ids;
    };
    const keys = await keyIds(victim, victimKeys(stage));
    const attacker = newTenant();
    const attacked = await keyIds(attacker, changesPerDocument);
    return await measureManagement(stage, server, victim, keys, () => flood(server, attacker, attacked));
  },
};

async function flood({ url }: BenchServer, { token }: Tenant, ids: readonly string[]) {
  const changes = ids.map((id, i) => `c${i}: updateKey(id: "${id}", input: $input) { apiKey { id } }`);
  const query = `mutation ($input: UpdateKeyInput!) { ${changes.join(' ')} }`;
  // Each name is sent twice in turn.
  const requests = ['A', 'A', 'B', 'B'].map((name) =>
    rawRequest({ method: 'POST', path: '/graphql', token, body: { query, variables: { input: { name } } } }),
  );
  const addresses = manyAddresses(connections);
  return await startLoad({ url, requests, connections, addresses, niceness: attackerNiceness, expected: '"data"' });
}
