/** Checks that each port is free, or that Latchkey serves it. */
import { createServer } from 'node:net';
import type { Configuration } from '../../../config/configuration.ts';
import { localUrlOf } from '../../../config/url.ts';
import { boundedFetch } from '../../../lib/bounded-fetch.ts';
import { type Readiness, readinesses } from '../../../ports/readiness.ts';
import { listenProblem, type PortPrefix } from '../../../service/processes/listen.ts';
import { error, type Finding, ok } from './finding.ts';

/** Machines whose clocks differ by more than this reject each other's tokens and signatures. */
const clockToleranceMs = 5000;

export async function examinePorts(configuration: Configuration): Promise<Finding[]> {
  const management = await examineServer('management port', '', configuration.HOST, configuration.PORT);
  const verification = await examineServer(
    'verification port',
    'VERIFY_',
    configuration.VERIFY_HOST,
    configuration.VERIFY_PORT,
  );
  const others = [
    ['Envoy port', 'EXT_AUTHZ_', configuration.EXT_AUTHZ_HOST, configuration.EXT_AUTHZ_PORT],
    ['metrics port', 'METRICS_', configuration.METRICS_HOST, configuration.METRICS_PORT],
  ] as const;
  const isRunning = [...management, ...verification].some(({ note }) => note.includes(servedByLatchkey));
  const findings = await Promise.all(
    others.map(async ([what, prefix, host, port]): Promise<Finding[]> => {
      if (port === undefined) return [];
      const problem = await listenProblemOf(prefix, host, port);
      const url = localUrlOf(host, port);
      if (problem === null) return [ok(what, `${url} is free`)];
      return [
        problem.isTaken && isRunning ? ok(what, `${url} is used, while Latchkey runs`) : error(what, problem.note),
      ];
    }),
  );
  return [...management, ...verification, ...findings.flat()];
}

const servedByLatchkey = 'is served by a Latchkey';

/** Checks that the port is free, or served by a Latchkey that is ready and whose clock agrees with this machine's. */
async function examineServer(what: string, prefix: '' | 'VERIFY_', host: string, number: number): Promise<Finding[]> {
  const url = localUrlOf(host, number);
  const problem = await listenProblemOf(prefix, host, number);
  if (problem === null) return [ok(what, `${url} is free`)];
  if (!problem.isTaken) return [error(what, problem.note)];
  const sentAt = Date.now();
  const latchkey = await readLatchkey(url);
  if (latchkey === null) return [error(what, problem.note)];
  const aheadMs = latchkey.clockMs - sentAt;
  return [
    latchkey.readiness === 'ready'
      ? ok(what, `${url} ${servedByLatchkey} that is ready`)
      : error(what, `${url} ${servedByLatchkey} that is not ready: see its log`),
    Math.abs(aheadMs) <= clockToleranceMs
      ? ok(`clock, ${what}`, 'agrees with the clock of this machine')
      : error(`clock, ${what}`, `is ${Math.round(aheadMs / 1000)} s off: run an NTP service`),
  ];
}

/** Returns what the Latchkey at this address says of itself; null if another program listens there. */
async function readLatchkey(url: string): Promise<{ readonly readiness: Readiness; readonly clockMs: number } | null> {
  try {
    const response = await boundedFetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) });
    const clockMs = Date.parse(response.headers.get('date') ?? '');
    const { status } = JSON.parse(await response.text());
    return readinesses.includes(status) ? { readiness: status, clockMs } : null;
  } catch {
    return null;
  }
}

/** Returns why the port can't be used and what to do, or null if it is free. */
async function listenProblemOf(
  prefix: PortPrefix,
  host: string,
  port: number,
): Promise<{ readonly isTaken: boolean; readonly note: string } | null> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', (thrown) => {
      const isTaken = Reflect.get(thrown, 'code') === 'EADDRINUSE';
      resolve({ isTaken, note: listenProblem(prefix, host, port, thrown).message });
    });
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}
