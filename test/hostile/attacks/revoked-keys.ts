/**
 * A team with 100,000 revoked keys, as many as it can collect in five hours, searches them and asks for prefixes that no
 * key has. Others read and revoke their keys.
 */
import { join } from 'node:path';
import { Store } from '../../../src/store/store.ts';
import type { BenchServer } from '../../bench/server.ts';
import { addManyKeys } from '../../support/many-keys.ts';
import { type Attack, type Encounter, measure, medianRow, type Row } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad, victimAddress } from '../load.ts';
import type { LoadPlan } from '../load-plan.ts';
import { rawRequest } from '../raw-connection.ts';
import { newTenant, type Tenant } from '../tenants.ts';

const revokedKeys = 100_000;
const connections = 16;
const prefixes = 15;
const readsPerSecond = 20;
const revokesPerSecond = 5;

export const revokedKeysOfATeam: Attack = {
  name: 'revoked-keys',
  run: async (stage) => {
    const server = await stage.start();
    const [victim, attacker] = [newTenant(), newTenant()];
    const perMeasurement = revokesPerSecond * (stage.seconds + 1);
    stage.progress(`adding ${revokedKeys} revoked keys`);
    const store = await Store.openAsItIs({ provider: 'sqlite', file: join(stage.directory, 'latchkey.db') });
    await addManyKeys(store, { teamId: attacker.team, count: revokedKeys, revoked: true, name: 'k'.repeat(90) });
    // The first measurement is for warming up.
    const count = 1 + perMeasurement * (1 + 2 * stage.rounds);
    const [read = '', ...toRevoke] = await addManyKeys(store, { teamId: victim.team, count, revoked: false });
    await store.close();
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
      rows.push(medianRow(name, await measure(stage, { victim: name, plan, begin: () => flood(server, attacker) })));
    }
    return rows;
  },
};

async function flood({ url }: BenchServer, { team, token }: Tenant) {
  const search = `query ($t: UUID!, $f: KeyFilter) {
    keys(teamId: $t, first: 1, filter: $f, orderBy: { field: NAME, direction: ASC }) { nodes { id } totalCount }
  }`;
  const fields = Array.from({ length: prefixes }, (_, i) => `p${i}: explainVerification(input: $i${i}) { code }`);
  const variables = Array.from({ length: prefixes }, (_, i) => `$i${i}: ExplainVerificationInput!`);
  const inputs = Array.from({ length: prefixes }, (_, i) => [
    `i${i}`,
    { teamId: team, prefix: `lk_live_AAAAAA${String(i).padStart(2, '0')}` },
  ]);
  const documents = [
    { query: search, variables: { t: team, f: { state: ['REVOKED'], search: `${'k'.repeat(60)}z` } } },
    { query: `query (${variables.join(', ')}) { ${fields.join(' ')} }`, variables: Object.fromEntries(inputs) },
  ];
  const requests = documents.map((body) => rawRequest({ method: 'POST', path: '/graphql', token, body }));
  const addresses = manyAddresses(connections);
  return await startLoad({ url, requests, connections, addresses, niceness: attackerNiceness, expected: '"data"' });
}
