/**
 * A team's keys allow host names whose name server, the team's own, answers with as many addresses as it can, and as
 * often as a name is queried again. Other teams go on verifying their keys, and the process stays small.
 */
import { randomUUID } from 'node:crypto';
import { limits } from '../../../../src/domain/limits.ts';
import type { Server } from '../../../harness/server.ts';
import { type LargeAnswers, startLargeNameServer } from '../../../support/large-answers.ts';
import { processesOf, rssMb } from '../../../support/processes.ts';
import { type Attack, measure, medianRow, type Row, type Stage } from '../attack.ts';
import { flood } from '../load.ts';
import { createKey, importedKey, importKeys, newTenant, verifications, verifyRequest } from '../tenants.ts';

interface Zone {
  readonly what: string;
  readonly keys: number;
  readonly hostsOfKey: number;
  readonly answers: LargeAnswers;
}

const zones: readonly Zone[] = [
  // The most that an answer of 64 kB has room for.
  {
    what: 'too many addresses',
    keys: 10,
    hostsOfKey: limits.allowedHosts,
    answers: { a: 4000, aaaa: 2300, ttl: 0 },
  },
  // The most that is kept, in answers over TCP that expire at once.
  { what: 'many names', keys: 2000, hostsOfKey: 1, answers: { a: 32, aaaa: 32, ttl: 0 } },
];
const attacksPerSecond = 200;
const victimsPerSecond = 200;
/** What the process may grow by during an attack: its heap at that rate of requests, and the addresses of names. */
const maxGrowthMb = 100;

export const manyAddresses: Attack = {
  name: 'many-addresses',
  run: async (stage) => {
    const rows: Row[] = [];
    for (const zone of zones) rows.push(...(await attackWith(stage, zone)));
    return rows;
  },
};

async function attackWith(stage: Stage, { what, keys, hostsOfKey, answers }: Zone): Promise<readonly Row[]> {
  const names = await startLargeNameServer(answers);
  const server = await stage.start({ DNS_SERVERS: names.address });
  try {
    const secrets = Array.from({ length: keys }, () => randomUUID());
    const imported = secrets.map((secret, i) => ({
      ...importedKey(i, secret),
      allowedIps: Array.from({ length: hostsOfKey }, (_, j) => `host-${i}-${j}.example.com`),
    }));
    await importKeys(server, newTenant(), imported);
    const requests = secrets.map((secret) => verifyRequest({ key: secret, sourceIp: '203.0.113.9' }));
    const key = await createKey(server, newTenant());
    const sampled = memory(server);
    const measured = await measure({
      victim: `verification of other teams' keys, ${victimsPerSecond}/s, ${what}`,
      plan: () => verifications(server, key, victimsPerSecond),
      begin: () => flood(server.verifyUrl, requests, 64, { perSecond: attacksPerSecond }),
    });
    return [medianRow(measured), sampled(what)];
  } finally {
    await server.stop();
    names.stop();
  }
}

/** Samples the memory of verification from now on. The function ends it and returns the row. */
function memory(server: Server): (what: string) => Row {
  const size = () => rssMb(processesOf(server.pid).verification);
  const before = size();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, size());
  }, 200);
  return (what) => {
    clearInterval(timer);
    return {
      victim: `memory of verification, ${what}`,
      found: `${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`,
      bound: `${maxGrowthMb} MB more`,
      violations: most - before > maxGrowthMb ? [`${(most - before).toFixed(0)} MB more`] : [],
    };
  };
}
