/** The processes of the service: how soon they are ready, what they need when idle, and that one survives the other. */

import { setTimeout as pause } from 'node:timers/promises';
import { progress } from '../../../harness/print.ts';
import type { Server } from '../../../harness/server.ts';
import { median } from '../../../harness/statistics.ts';
import { processesOf, pssMb, rssMb } from '../../../support/processes.ts';
import { RawConnection, rawRequest } from '../../raw-connection.ts';
import { type Attack, notServed, type Row } from '../attack.ts';
import { type LoadPlan, startLoad, victimAddress } from '../load.ts';
import { createKey, type Key, newTenant, type Tenant, verifications } from '../tenants.ts';

const starts = 7;
const bounds = { readyMs: 1500, idleMb: 300, backMs: 5000 };
/** Half of what each plane serves on a slow machine. This measures whether it serves, not how much. */
const callsPerSecond = { verification: 200, management: 50 };

export const processes: Attack = {
  name: 'processes',
  run: async (stage) => {
    const server = await stage.start();
    const tenant = newTenant();
    const key = await createKey(server, tenant);
    const idle = await idleMemory(server);
    const { verification, management } = planes(server, tenant, key);
    const kills = [await killOne(server, verification, management), await killOne(server, management, verification)];
    await server.stop();
    return [await starting(server), idle, ...kills];
  },
};

async function starting(server: Server): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < starts; i += 1) {
    progress(`start ${i + 1} of ${starts}`);
    server.spawn();
    times.push(await server.ready());
    await server.stop();
  }
  const ready = median(times);
  return {
    victim: 'starting on an existing database',
    found: `${ready.toFixed(0)} ms (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`,
    bound: `${bounds.readyMs} ms`,
    violations: ready > bounds.readyMs ? [`ready after ${ready.toFixed(0)} ms`] : [],
  };
}

async function idleMemory({ pids }: Server): Promise<Row> {
  progress('idle');
  await pause(5000);
  const idleMb = pssMb(pids);
  return {
    victim: `memory of ${pids.length} idle processes`,
    found: `${idleMb.toFixed(0)} MB PSS, ${rssMb(pids).toFixed(0)} MB RSS`,
    bound: `${bounds.idleMb} MB PSS`,
    violations: idleMb > bounds.idleMb ? [`${idleMb.toFixed(0)} MB`] : [],
  };
}

type Plane = { readonly name: string; readonly pid: number; readonly load: LoadPlan };

function planes(server: Server, { team, token }: Tenant, key: Key) {
  const running = processesOf(server.pid);
  const load = verifications(server, key, callsPerSecond.verification);
  const list = rawRequest({ method: 'GET', path: `/v1/keys?teamId=${team}`, token });
  const { management: perSecond } = callsPerSecond;
  const listing = { ...load, url: server.url, requests: [list], expected: key.id, perSecond };
  return {
    verification: { name: 'verification', pid: running.verification[0] ?? 0, load },
    management: { name: 'management', pid: running.management, load: listing },
  };
}

async function killOne(server: Server, killed: Plane, survivor: Plane): Promise<Row> {
  progress(`kill -9 of ${killed.name}`);
  const surviving = await startLoad(survivor.load);
  await pause(1000);
  const { pid } = killed;
  if (pid === 0) throw new Error(`no process serves ${killed.name}`);
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  const isBack = async () => !server.pids.includes(pid) && (await answers(killed.load));
  while (!(await isBack()) && performance.now() - killedAt < 4 * bounds.backMs) await pause(20);
  const backMs = performance.now() - killedAt;
  await pause(1000);
  const report = await surviving.stop();
  return {
    victim: `${survivor.name} while ${killed.name} is killed`,
    found: `${killed.name} back within ${(backMs / 1000).toFixed(1)} s; ${report.served} calls served`,
    bound: `every call served, back within ${bounds.backMs / 1000} s`,
    violations: [
      ...(backMs > bounds.backMs ? [`back only after ${(backMs / 1000).toFixed(1)} s`] : []),
      ...(server.pids.length > 0 ? [] : ['the service ended']),
      ...notServed([report]),
    ],
  };
}

/** Whether a call on a new connection is served within a second. */
async function answers({ url, requests, expected = '' }: LoadPlan): Promise<boolean> {
  const connection = new RawConnection(Number(new URL(url).port), victimAddress);
  const served = new Promise<boolean>((resolve) => {
    connection.send(requests[0] ?? '', (answer) => resolve(answer?.text.includes(expected) === true));
  });
  const inTime = await Promise.race([served, pause(1000).then(() => false)]);
  connection.close();
  return inTime;
}
