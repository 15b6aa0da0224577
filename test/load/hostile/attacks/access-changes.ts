/**
 * 16 connections of one team import and remove members, set its policy, and put a key, unchanged or where 10,000 keys have
 * its external id. Its budget of changes does not end. Other teams read and revoke their keys.
 */
import { progress } from '../../../harness/print.ts';
import { importing } from '../../../support/service.ts';
import { flood } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import type { Attack } from '../attack.ts';
import {
  createKeys,
  importedKey,
  importKeys,
  managedKeys,
  measureManagement,
  newTenant,
  tokenFor,
} from '../tenants.ts';

const connections = 16;
const sameExternalId = 10_000;
const members = 1000;

export const accessChanges: Attack = {
  name: 'access-changes',
  run: async (stage) => {
    const limits = { TEAM_CHANGES_PER_HOUR: '100000000', MANAGEMENT_RATE_LIMIT: '100000000' };
    const server = await stage.start({ ...limits, MAX_KEYS_PER_TEAM: '100000' });
    const [victim, { team }] = [newTenant(), newTenant()];
    const attacker = { team, token: tokenFor({ [team]: [...importing, 'manage_policy'] }) };
    progress(`importing ${sameExternalId} keys`);
    const keys = Array.from({ length: sameExternalId }, (_, i) => ({ ...importedKey(i), externalId: 'same' }));
    await importKeys(server, attacker, keys);
    const begin = () => flood(server.url, requestsOf(attacker), connections);
    const ids = (await createKeys(server, victim, managedKeys)).map(({ id }) => id);
    return await measureManagement(server, victim, ids, begin);
  },
};

/** Each of two states in turn, so that every call of members and policies changes something. */
function requestsOf({ team, token }: { readonly team: string; readonly token: string }): readonly string[] {
  const importMembers = `mutation ($input: ImportMembersInput!) { importMembers(input: $input) { added left } }`;
  const leave = `mutation ($team: UUID!, $subject: String!) {
    removeMember(teamId: $team, subject: $subject) { member { state } }
  }`;
  const graphql = (query: string, variables: object) =>
    rawRequest({ method: 'POST', path: '/graphql', token, body: { query, variables } });
  const put = (id: string) =>
    rawRequest({ method: 'PUT', path: `/v1/keys/${team}/live/${id}`, token, body: { name: 'A key' } });
  const policy = (maxLifetimeSeconds: number) =>
    rawRequest({ method: 'PUT', path: `/v1/policies/${team}/live`, token, body: { maxLifetimeSeconds } });
  const namesOf = (half: string) => Array.from({ length: members }, (_, i) => `${half}${i}`);
  return ['a', 'b'].flatMap((half, i) => [
    put('same'),
    put('one'),
    graphql(importMembers, { input: { teamId: team, subjects: namesOf(half) } }),
    put('same'),
    put('one'),
    policy(86_400 + i),
    graphql(leave, { team, subject: `${half}1` }),
  ]);
}
