/**
 * Once a second, a caller sends a body that is as large as allowed and full of invalid entries: to the management port
 * as variables and as a REST body, to the verification port as a report of an edge. Others revoke and verify keys.
 */
import { randomUUID } from 'node:crypto';
import type { BenchServer } from '../../bench/server.ts';
import { type Attack, measure, medianRow } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad, victimAddress } from '../load.ts';
import type { LoadPlan } from '../load-plan.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, verifications } from '../tenants.ts';

const revokesPerSecond = 10;
const [bodyBytes, reportBytes] = [64_000, 500_000];

export const rejectedInput: Attack = {
  name: 'rejected-input',
  run: async (stage) => {
    const server = await stage.start();
    const [victim, { team, token }] = [newTenant(), newTenant()];
    const perMeasurement = revokesPerSecond * (stage.seconds + 1);
    const ids: string[] = [];
    // The first measurement is for warming up.
    while (ids.length < perMeasurement * (1 + 2 * stage.rounds)) ids.push((await createKey(server, victim)).id);
    const revoke = `a revoke of another team, ${revokesPerSecond}/s`;
    const revoked = await measure(stage, {
      victim: revoke,
      plan: () => ({
        url: server.url,
        requests: ids
          .splice(0, perMeasurement)
          .map((id) => rawRequest({ method: 'DELETE', path: `/v1/keys/${id}`, token: victim.token })),
        connections: 8,
        addresses: [victimAddress],
        perSecond: revokesPerSecond,
        expected: '"ok":true',
      }),
      begin: () => startLoad(oncePerSecond(server.url, invalidCalls(team, token))),
    });
    const key = await createKey(server, victim);
    const verify = 'verification beside reports of an edge';
    const verified = await measure(stage, {
      victim: verify,
      plan: () => verifications(server, key),
      begin: () => startLoad(oncePerSecond(server.verifyUrl, invalidReports())),
    });
    return [medianRow(revoke, revoked), medianRow(verify, verified)];
  },
};

function oncePerSecond(url: BenchServer['url'], requests: readonly string[]): LoadPlan {
  return { url, requests, connections: 1, addresses: manyAddresses(1), perSecond: 1, niceness: attackerNiceness };
}

function invalidCalls(team: string, token: string): readonly string[] {
  const scopes = rawRequest({
    method: 'POST',
    path: '/v1/keys',
    token,
    body: `{"teamId":"${team}","name":"A key","env":"live","scopes":${listOf('1', bodyBytes)}}`,
  });
  const graphql = (query: string, variables: string) =>
    rawRequest({ method: 'POST', path: '/graphql', token, body: `{"query":"${query}","variables":${variables}}` });
  const states = graphql(
    'query ($t: UUID!, $f: KeyFilter) { keys(teamId: $t, filter: $f) { totalCount } }',
    `{"t":"${team}","f":{"state":${listOf('""', bodyBytes)}}}`,
  );
  const keys = graphql(
    'mutation ($t: UUID!, $k: [ImportKeyInput!]!) { importKeys(teamId: $t, keys: $k) { dryRun } }',
    `{"t":"${team}","k":${listOf(`{"allowedIps":${listOf('1', 320)}}`, bodyBytes)}}`,
  );
  return [scopes, states, keys];
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
