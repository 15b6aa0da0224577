/** More idle connections than the service has file descriptors: it survives, and serves afterwards. */
import { readdirSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { sit } from '../../overload/crowd.ts';
import { type Attack, notServed } from '../attack.ts';
import { pause, runLoad, startLoad, victimAddress } from '../load.ts';
import type { LoadPlan } from '../load-plan.ts';
import { processTree } from '../process-tree.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, verifications } from '../tenants.ts';

const descriptors = 300;
const connectionsPerPort = 400;
const callsPerSecond = 50;

export const idleConnections: Attack = {
  name: 'idle-connections',
  run: async (stage) => {
    const server = await stage.start({}, descriptors);
    const key = await createKey(server, newTenant());
    const processes = processTree(server.pid);
    const plans: readonly LoadPlan[] = [verifications(server, key, callsPerSecond), pages(server.url)];
    // On existing connections: their next requests need descriptors, and none is left.
    const loads = await Promise.all(plans.map(startLoad));
    await pause(500);
    stage.progress(`${connectionsPerPort} idle connections on each port`);
    const sittings = [];
    for (const url of [server.url, server.verifyUrl]) sittings.push(await sit(url, connectionsPerPort, '', ''));
    await pause(1000 * stage.seconds);
    const during = await Promise.all(loads.map((load) => load.stop()));
    for (const sitting of sittings) sitting.leave();
    await pause(2000);
    stage.progress('the idle connections are closed');
    const after = await Promise.all(plans.map((plan) => runLoad(plan, stage.seconds)));
    const left = processTree(server.pid);
    const died = processes.filter((pid) => !left.includes(pid)).length;
    return [
      {
        victim: 'both ports',
        calm: `${processes.length} processes`,
        attacked: died === 0 ? 'all alive' : `${died} of them ended`,
        bound: 'all alive, and serve afterwards',
        served: `${sum(during.map(({ served }) => served))} during, ${sum(after.map(({ served }) => served))} after`,
        rejected: String(sum([...during, ...after].map(({ rejected }) => rejected))),
        attacker: `${2 * connectionsPerPort} connections`,
        violations: [...(died === 0 ? [] : [`${died} processes ended`]), ...notServed(after)],
      },
    ];
  },
};

const assets = 'dist/dashboard/assets';
/** Larger ones would measure the network, not the service. */
const maxScriptBytes = 100_000;

/** The page of the dashboard and its scripts, which are read from files. */
function pages(url: string): LoadPlan {
  const isSmallScript = (name: string) =>
    extname(name) === '.js' && statSync(`${assets}/${name}`).size <= maxScriptBytes;
  const scripts = readdirSync(assets)
    .filter(isSmallScript)
    .map((name) => `/assets/${name}`);
  return {
    url,
    requests: ['/', ...scripts].map((path) => rawRequest({ method: 'GET', path })),
    connections: 8,
    addresses: [victimAddress],
    perSecond: callsPerSecond,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
