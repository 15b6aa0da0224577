/** The processes of the service: how soon they are ready, what they need when idle, and that one survives the other. */
import { median } from '../../bench/figures.ts';
import type { BenchServer } from '../../bench/server.ts';
import { type Attack, notServed, type Row, type Stage } from '../attack.ts';
import { pause, startLoad, victimAddress } from '../load.ts';
import type { LoadPlan } from '../load-plan.ts';
import { memoryOf, processOf, processTree } from '../process-tree.ts';
import { RawConnection, rawRequest } from '../raw-connection.ts';
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
    const idle = await idleMemory(stage, server);
    const kills = await killEach(stage, server, planes(server, tenant, key));
    await server.stop();
    return [await starting(stage), idle, ...kills];
  },
};

async function starting(stage: Stage): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < starts; i += 1) {
    stage.progress(`start ${i + 1} of ${starts}`);
    const server = await stage.start();
    times.push(server.readyAfterMs);
    await server.stop();
  }
  const ready = median(times);
  return {
    ...blank,
    victim: 'starting on an existing database',
    attacked: `${ready.toFixed(0)} ms (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`,
    bound: `${bounds.readyMs} ms`,
    violations: ready > bounds.readyMs ? [`ready after ${ready.toFixed(0)} ms`] : [],
  };
}

async function idleMemory(stage: Stage, server: BenchServer): Promise<Row> {
  stage.progress('idle');
  await pause(5000);
  const tree = processTree(server.pid);
  const { rssMb, pssMb } = memoryOf(tree);
  return {
    ...blank,
    victim: `memory of ${tree.length} idle processes`,
    attacked: `${pssMb.toFixed(0)} MB PSS, ${rssMb.toFixed(0)} MB RSS`,
    bound: `${bounds.idleMb} MB PSS`,
    violations: pssMb > bounds.idleMb ? [`${pssMb.toFixed(0)} MB`] : [],
  };
}

interface Plane {
  readonly name: 'management' | 'verification';
  readonly load: LoadPlan;
}

function planes(server: BenchServer, { team, token }: Tenant, key: Key): readonly [Plane, Plane] {
  const verifying = verifications(server, key, callsPerSecond.verification);
  const list = rawRequest({ method: 'GET', path: `/v1/keys?teamId=${team}`, token });
  return [
    { name: 'verification', load: verifying },
    {
      name: 'management',
      load: { ...verifying, url: server.url, requests: [list], expected: key.id, perSecond: callsPerSecond.management },
    },
  ];
}

async function killEach(stage: Stage, server: BenchServer, [one, other]: readonly [Plane, Plane]): Promise<Row[]> {
  return [
    await kill(stage, server, { killed: one, survivor: other }),
    await kill(stage, server, { killed: other, survivor: one }),
  ];
}

interface Kill {
  readonly killed: Plane;
  readonly survivor: Plane;
}

async function kill(stage: Stage, server: BenchServer, { killed, survivor }: Kill): Promise<Row> {
  stage.progress(`kill -9 of ${killed.name}`);
  const survivors = await startLoad(survivor.load);
  await pause(1000);
  const pid = processOf(server.pid, killed.name);
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  const isBack = async () => !processTree(server.pid).includes(pid) && (await answers(killed.load));
  while (!(await isBack()) && performance.now() - killedAt < 4 * bounds.backMs) await pause(20);
  const backMs = performance.now() - killedAt;
  await pause(1000);
  const served = await survivors.stop();
  const alive = processTree(server.pid).length > 0;
  return {
    ...blank,
    victim: `${survivor.name} while ${killed.name} is killed`,
    attacked: `${killed.name} back within ${(backMs / 1000).toFixed(1)} s`,
    bound: `every call served, back within ${bounds.backMs / 1000} s`,
    served: String(served.served),
    rejected: String(served.rejected),
    violations: [
      ...(backMs > bounds.backMs ? [`back only after ${(backMs / 1000).toFixed(1)} s`] : []),
      ...(alive ? [] : ['the service ended']),
      ...notServed([served]),
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

const blank = { calm: '', attacked: '', served: '', rejected: '', attacker: '' };
