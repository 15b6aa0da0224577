/**
 * 512 connections send unknown keys and junk to `DELETE /v1/keys/self`, while a serial client verifies its key. Then 32
 * connections repeat the revocation of their key, while others revoke theirs.
 */
import { randomUUID } from 'node:crypto';
import { median } from '../../bench/figures.ts';
import type { BenchServer } from '../../bench/server.ts';
import {
  type Attack,
  countsOf,
  type Measured,
  measure,
  medianRow,
  notServed,
  type Row,
  type Stage,
} from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad, victimAddress } from '../load.ts';
import type { LoadReport } from '../load-plan.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, unknownSecrets, verifications } from '../tenants.ts';

const connections = 512;
/** Of each kind. */
const presented = 5000;
/** Between an answer and the next call of the victim, as a job that does something has it. */
const pauseMs = 20;
const repeating = 32;
const revokesPerSecond = 5;
/** Of the calm rate. */
const leastShare = 0.5;

export const selfRevocation: Attack = {
  name: 'self-revocation',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const junk = Array.from({ length: presented }, () => randomUUID());
    const rows: Row[] = [];
    for (const [kind, secrets] of Object.entries({ junk, 'unknown keys': unknownSecrets(presented) })) {
      const requests = secrets.map((token) => rawRequest({ method: 'DELETE', path: '/v1/keys/self', token }));
      const victim = `a serial verifier beside ${kind}`;
      const { perSecond: _, ...serial } = verifications(server, key);
      const measured = await measure(stage, {
        victim,
        plan: () => ({ ...serial, connections: 1, pauseMs }),
        begin: () =>
          startLoad({
            url: server.verifyUrl,
            requests,
            connections,
            addresses: manyAddresses(connections),
            niceness: attackerNiceness,
          }),
      });
      rows.push(rateRow(victim, measured));
    }
    return [...rows, await besideRepeats(stage, server)];
  },
};

/** Every revocation of the victim needs a key of its own. */
async function besideRepeats(stage: Stage, server: BenchServer): Promise<Row> {
  const tenant = newTenant();
  const perMeasurement = revokesPerSecond * (stage.seconds + 1);
  const keys: string[] = [];
  // The first measurement is for warming up.
  while (keys.length < (1 + 2 * stage.rounds) * perMeasurement) keys.push((await createKey(server, tenant)).secret);
  const leaked = await createKey(server, newTenant());
  const revoke = (token: string) => rawRequest({ method: 'DELETE', path: '/v1/keys/self', token });
  const victim = `holders who revoke their keys, ${revokesPerSecond}/s, beside a repeated revocation`;
  const measured = await measure(stage, {
    victim,
    plan: () => ({
      url: server.verifyUrl,
      requests: keys.splice(0, perMeasurement).map(revoke),
      connections: 16,
      addresses: [victimAddress],
      perSecond: revokesPerSecond,
      expected: '"ok":true',
    }),
    begin: () =>
      startLoad({
        url: server.verifyUrl,
        requests: [revoke(leaked.secret)],
        connections: repeating,
        addresses: manyAddresses(repeating),
        niceness: attackerNiceness,
      }),
  });
  return medianRow(victim, measured);
}

function rateRow(victim: string, { calm, attacked, attacker }: Measured): Row {
  const rate = (reports: readonly LoadReport[]) => median(reports.map(({ served, seconds }) => served / seconds));
  const least = leastShare * rate(calm);
  const violations = rate(attacked) >= least ? [] : [`only ${rate(attacked).toFixed(1)} answers/s`];
  return {
    victim,
    calm: `${rate(calm).toFixed(1)}/s`,
    attacked: `${rate(attacked).toFixed(1)}/s`,
    bound: `at least ${least.toFixed(1)}/s`,
    ...countsOf(attacked),
    attacker,
    violations: [...violations, ...notServed([...calm, ...attacked])],
  };
}
