/** More idle connections than the service has file descriptors: it survives, and serves afterwards. */

import { readdirSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { progress } from '../../../harness/print.ts';
import { sum } from '../../../harness/statistics.ts';
import { connectIdleClients } from '../../idle-clients.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, notServed, seconds } from '../attack.ts';
import { type LoadPlan, type LoadReport, runLoad, startLoad, victimAddress } from '../load.ts';
import { createKey, newTenant, verifications } from '../tenants.ts';

const maxOpenFiles = 300;
const connectionsPerPort = 400;
const callsPerSecond = 50;

export const idleConnections: Attack = {
  name: 'idle-connections',
  run: async (stage) => {
    const server = await stage.start({}, { maxOpenFiles });
    const key = await createKey(server, newTenant());
    const processes = server.pids;
    const plans: readonly LoadPlan[] = [verifications(server, key, callsPerSecond), pages(server.url)];
    // On existing connections: their next requests need descriptors, and none is left.
    const loads = await Promise.all(plans.map(startLoad));
    await pause(500);
    progress(`${connectionsPerPort} idle connections on each port`);
    const idle = [];
    for (const url of [server.url, server.verifyUrl]) idle.push(await connectIdleClients(url, connectionsPerPort));
    await pause(1000 * seconds);
    const during = await Promise.all(loads.map((load) => load.stop()));
    for (const clients of idle) clients.leave();
    await pause(2000);
    progress('the idle connections are closed');
    const after = await Promise.all(plans.map((plan) => runLoad(() => startLoad(plan), seconds)));
    const left = server.pids;
    const died = processes.filter((pid) => !left.includes(pid)).length;
    return [
      {
        victim: 'both ports',
        found: `${died} processes ended; ${served(during)} calls served meanwhile, ${served(after)} afterwards`,
        bound: 'all alive, and serve afterwards',
        violations: [...(died === 0 ? [] : [`${died} processes ended`]), ...notServed(after)],
      },
    ];
  },
};

const served = (reports: readonly LoadReport[]) => sum(reports.map((report) => report.served));

const assets = 'dist/dashboard/assets';
/** Larger ones would measure the network, not the service. */
const maxScriptBytes = 100_000;

/** The page of the dashboard and its scripts, which are read from files. */
function pages(url: string): LoadPlan {
  const isSmallScript = (name: string) =>
    extname(name) === '.js' && statSync(`${assets}/${name}`).size <= maxScriptBytes;
  const scripts = readdirSync(assets).filter(isSmallScript);
  const requests = ['/', ...scripts.map((name) => `/assets/${name}`)].map((path) =>
    rawRequest({ method: 'GET', path }),
  );
  return { url, requests, connections: 8, addresses: [victimAddress], perSecond: callsPerSecond };
}
