/**
 * 16 connections of one caller send as many changes as a document may have, half of which change nothing: as aliases of
 * `updateKey`, and as `changeKeys`. Others read and revoke their keys.
 */
import { progress } from '../../../harness/print.ts';
import { rawRequest } from '../../raw-connection.ts';
import type { Attack } from '../attack.ts';
import { flood } from '../load.ts';
import { createKeys, managedKeys, measureManagement, newTenant, type Tenant } from '../tenants.ts';

const connections = 16;

/** Returns a document that gives all keys this name. */
type Rename = (tenant: Tenant, ids: readonly string[], name: string) => object;

const withAliases: Rename = (_, ids, name) => {
  const changes = ids.map((id, i) => `c${i}: updateKey(id: "${id}", input: $input) { apiKey { id } }`);
  return { query: `mutation ($input: UpdateKeyInput!) { ${changes.join(' ')} }`, variables: { input: { name } } };
};

const withChangeKeys: Rename = ({ team }, ids, name) => ({
  query: `mutation ($team: UUID!, $keys: [KeyToChangeInput!]!) {
    changeKeys(teamId: $team, action: UPDATE, keys: $keys) { results { outcome } }
  }`,
  variables: { team, keys: ids.map((id) => ({ id, settings: { name } })) },
});

export const manyChanges = attackWith({ name: 'many-changes', keys: 10, rename: withAliases });
export const changesOfManyKeys = attackWith({ name: 'changes-of-many-keys', keys: 500, rename: withChangeKeys });

interface Changes {
  readonly name: string;
  readonly keys: number;
  readonly rename: Rename;
}

function attackWith({ name, keys, rename }: Changes): Attack {
  return {
    name,
    run: async (stage) => {
      const server = await stage.start({ TEAM_CHANGES_PER_HOUR: '100000000' });
      const [victim, attacker] = [newTenant(), newTenant()];
      progress(`creating ${keys + managedKeys} keys`);
      const idsOf = async (tenant: Tenant, count: number) =>
        (await createKeys(server, tenant, count)).map(({ id }) => id);
      const attacked = await idsOf(attacker, keys);
      // Each name is sent twice in turn.
      const requests = ['A', 'A', 'B', 'B'].map((text) => {
        const body = rename(attacker, attacked, text);
        return rawRequest({ method: 'POST', path: '/graphql', token: attacker.token, body });
      });
      const begin = () => flood(server.url, requests, connections, { expected: '"data":{' });
      return await measureManagement(server, victim, await idsOf(victim, managedKeys), begin);
    },
  };
}
