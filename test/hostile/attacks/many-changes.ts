/**
 * 16 connections of one caller send documents with as many changes as one may have, half of which change nothing. Others
 * read and revoke their keys.
 */
import type { BenchServer } from '../../bench/server.ts';
import { type Attack, type Encounter, measure, medianRow, type Row } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad, victimAddress } from '../load.ts';
import type { LoadPlan } from '../load-plan.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, type Tenant } from '../tenants.ts';

const connections = 16;
const changesPerDocument = 10;
const readsPerSecond = 20;
const revokesPerSecond = 5;

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
    const [read = ''] = await keyIds(victim, 1);
    const perMeasurement = revokesPerSecond * (stage.seconds + 1);
    // The first is for warming up.
    const toRevoke = await keyIds(victim, perMeasurement * (1 + 2 * stage.rounds));
    const attacker = newTenant();
    const attacked = await keyIds(attacker, changesPerDocument);
    const calls = (method: string, ids: readonly string[], perSecond: number): LoadPlan => ({
      url: server.url,
      requests: ids.map((id) => rawRequest({ method, path: `/v1/keys/${id}`, token: victim.token })),
      connections: 16,
      addresses: [victimAddress],
      perSecond,
    });
    const plans: Readonly<Record<string, Encounter['plan']>> = {
      [`a read of another team, ${readsPerSecond}/s`]: () => calls('GET', [read], readsPerSecond),
      [`a revoke of another team, ${revokesPerSecond}/s`]: () =>
        calls('DELETE', toRevoke.splice(0, perMeasurement), revokesPerSecond),
    };
    const rows: Row[] = [];
    for (const [name, plan] of Object.entries(plans)) {
      const begin = () => flood(server, attacker, attacked);
      rows.push(medianRow(name, await measure(stage, { victim: name, plan, begin })));
    }
    return rows;
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
