/**
 * Once a second, a caller sends a body that is as large as allowed and full of invalid entries: to the management port
 * as variables and as a REST body, to the verification port as a report of an edge. Others revoke and verify keys.
 */
import { randomUUID } from 'node:crypto';
import { flood } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, measure, medianRow } from '../attack.ts';
import {
  createKey,
  createKeys,
  measureRevocations,
  newTenant,
  revokedKeys,
  revokeRequests,
  verifications,
} from '../tenants.ts';

const revokesPerSecond = 10;
const [bodyBytes, reportBytes] = [64_000, 500_000];

export const rejectedInput: Attack = {
  name: 'rejected-input',
  run: async (stage) => {
    const server = await stage.start();
    const [victim, { team, token }] = [newTenant(), newTenant()];
    const keys = await createKeys(server, victim, revokedKeys(revokesPerSecond));
    const requests = revokeRequests(
      victim,
      keys.map(({ id }) => id),
    );
    const oncePerSecond = (url: string, invalid: readonly string[]) => () => flood(url, invalid, 1, { perSecond: 1 });
    const revoked = await measureRevocations(
      { url: server.url, perSecond: revokesPerSecond, requests },
      {
        victim: `a revoke of another team, ${revokesPerSecond}/s`,
        begin: oncePerSecond(server.url, invalidCalls(team, token)),
      },
    );
    const key = await createKey(server, victim);
    const verified = await measure({
      victim: 'verification beside reports of an edge',
      plan: () => verifications(server, key),
      begin: oncePerSecond(server.verifyUrl, invalidReports()),
    });
    return [medianRow(revoked), medianRow(verified)];
  },
};

function invalidCalls(team: string, token: string): readonly string[] {
  const call = (path: string, body: string) => rawRequest({ method: 'POST', path, token, body });
  const scopes = `{"teamId":"${team}","name":"A key","env":"live","scopes":${listOf('1', bodyBytes)}}`;
  const graphql = (query: string, variables: string) =>
    call('/graphql', `{"query":"${query}","variables":{"t":"${team}",${variables}}}`);
  return [
    call('/v1/keys', scopes),
    graphql(
      'query ($t: UUID!, $f: KeyFilter) { keys(teamId: $t, filter: $f) { totalCount } }',
      `"f":{"state":${listOf('""', bodyBytes)}}`,
    ),
    graphql(
      'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { dryRun } }',
      `"k":${listOf(`{"allowedIps":${listOf('1', 320)}}`, bodyBytes)}`,
    ),
  ];
}

function invalidReports(): readonly string[] {
  return ['{}', '1', '{"counts":[{},{},{}]}'].map((entry) =>
    rawRequest({
      method: 'POST',
      path: '/v1/feed/reports',
      body: `{"edge":"${randomUUID()}","usage":${listOf(entry, reportBytes)},"sources":[],"rates":[]}`,
    }),
  );
}

/** A JSON array of as many entries as these bytes have room for. */
function listOf(entry: string, bytes: number): string {
  return `[${Array.from({ length: Math.floor(bytes / (entry.length + 1)) }, () => entry).join(',')}]`;
}
