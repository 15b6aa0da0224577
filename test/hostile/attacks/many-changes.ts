/**
 * 16 connections of one caller send as many changes as a document may have, half of which change nothing: as aliases of
 * `updateKey`, and as `changeKeys`. Others read and revoke their keys.
 */
import type { BenchServer } from '../../bench/server.ts';
import type { Attack, Row, Stage } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad } from '../load.ts';
import { measureManagement, victimKeys } from '../management-victims.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, type Tenant } from '../tenants.ts';

const connections = 16;

interface Changes {
  readonly keys: number;
  /** A document that gives all keys this name. */
  readonly document: (tenant: Tenant, ids: readonly string[], name: string) => object;
}

const oneByOne: Changes = {
  keys: 10,
  document: (_, ids, name) => {
    const changes = ids.map((id, i) => `c${i}: updateKey(id: "${id}", input: $input) { apiKey { id } }`);
    return { query: `mutation ($input: UpdateKeyInput!) { ${changes.join(' ')} }`, variables: { input: { name } } };
  },
};

const together: Changes = {
  keys: 500,
  document: ({ team }, ids, name) => ({
    query: `mutation ($team: UUID!, $keys: [KeyToChangeInput!]!) {
      changeKeys(teamId: $team, action: UPDATE, keys: $keys) { results { outcome } }
    }`,
    variables: { team, keys: ids.map((id) => ({ id, settings: { name } })) },
  }),
};

export const manyChanges: Attack = { name: 'many-changes', run: (stage) => attackWith(oneByOne, stage) };

export const changesOfManyKeys: Attack = { name: 'changes-of-many-keys', run: (stage) => attackWith(together, stage) };

async function attackWith({ keys, document }: Changes, stage: Stage): Promise<readonly Row[]> {
  const server = await stage.start({ TEAM_CHANGES_PER_HOUR: '100000000' });
  const keyIds = async (tenant: Tenant, count: number) => {
    stage.progress(`creating ${count} keys`);
    const ids: string[] = [];
    while (ids.length < count) ids.push((await createKey(server, tenant)).id);
    return ids;
  };
  const [victim, attacker] = [newTenant(), newTenant()];
  const ids = await keyIds(attacker, keys);
  // Each name is sent twice in turn.
  const bodies = ['A', 'A', 'B', 'B'].map((text) => document(attacker, ids, text));
  const begin = () => flood(server, attacker, bodies);
  return await measureManagement(stage, server, victim, await keyIds(victim, victimKeys(stage)), begin);
}

async function flood({ url }: BenchServer, { token }: Tenant, bodies: readonly object[]) {
  const requests = bodies.map((body) => rawRequest({ method: 'POST', path: '/graphql', token, body }));
  const addresses = manyAddresses(connections);
  return await startLoad({ url, requests, connections, addresses, niceness: attackerNiceness, expected: '"data":{' });
}
