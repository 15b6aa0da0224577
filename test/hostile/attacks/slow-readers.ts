/** 300 callers without any permission ask for large answers and never read them; others must still be able to revoke. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type Assault, type Attack, latencyRow, measure, notServed } from '../attack.ts';
import { largestAccepted } from '../document-costs.ts';
import { viewers } from '../documents.ts';
import { manyAddresses, victimAddress } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, tokenFor } from '../tenants.ts';

const callers = 300;
/** In each caller's token: as many as a token may have. Their ids make the answers large. */
const teamsWithoutPermission = 130;
/** Sent without waiting for an answer: together their answers are larger than the 4 MB that Linux buffers. */
const requestsPerConnection = 60;
const revokesPerSecond = 5;
const withinMs = 1000;

export const slowReaders: Attack = {
  name: 'slow-readers',
  run: async (stage) => {
    const server = await stage.start();
    const tenant = newTenant();
    const keys: string[] = [];
    const keysPerMeasurement = revokesPerSecond * (stage.seconds + 1);
    // The first is for warming up.
    const measurements = 1 + 2 * stage.rounds;
    while (keys.length < measurements * keysPerMeasurement) keys.push((await createKey(server, tenant)).id);
    const document = await largestAccepted(server, powerless(), viewers);
    if (document === null) throw new Error('the viewer is not told');
    const { query } = document;
    const victim = `revokeKey with a valid token, ${revokesPerSecond}/s`;
    const measured = await measure(stage, {
      victim,
      plan: () => ({
        url: server.url,
        requests: keys
          .splice(0, keysPerMeasurement)
          .map((id) => rawRequest({ method: 'DELETE', path: `/v1/keys/${id}`, token: tenant.token })),
        connections: 16,
        addresses: [victimAddress],
        perSecond: revokesPerSecond,
        expected: '"ok":true',
      }),
      // From the first moment on.
      buildUpSeconds: 0,
      begin: async () => readNothing(Number(new URL(server.url).port), query),
    });
    const row = latencyRow(victim, measured, { times: 0, ms: withinMs });
    const slowest = Math.max(...measured.attacked.map(({ maxMs }) => maxMs));
    const late = slowest > withinMs ? [`the slowest revoke took ${slowest.toFixed(0)} ms`] : [];
    return [{ ...row, bound: `each within ${withinMs} ms`, violations: [...late, ...notServed(measured.attacked)] }];
  },
};

/** Callers with subjects and addresses of their own, who come back when they are cut off. */
function readNothing(port: number, query: string): Assault {
  const addresses = manyAddresses(callers);
  const sockets = new Map<number, Socket>();
  let [stopped, cutOff] = [false, 0];
  const call = (caller: number, request: string) => {
    if (stopped) return;
    const socket = connect({ host: '127.0.0.1', port, localAddress: addresses[caller] ?? '127.0.0.1' });
    sockets.set(caller, socket);
    socket.pause();
    socket
      .on('error', () => undefined)
      .once('close', () => {
        if (!stopped) cutOff += 1;
        setTimeout(() => call(caller, request), 100);
      });
    socket.write(request.repeat(requestsPerConnection));
  };
  for (let caller = 0; caller < callers; caller += 1) {
    const request = rawRequest({ method: 'POST', path: '/graphql', token: powerless(), body: { query } });
    call(caller, request);
  }
  return {
    stop: async () => {
      stopped = true;
      for (const socket of sockets.values()) socket.destroy();
      return { served: 0, rejected: 0, others: { 'connections cut off': cutOff } };
    },
  };
}

/** A token that permits nothing. */
function powerless(): string {
  return tokenFor(Object.fromEntries(Array.from({ length: teamsWithoutPermission }, () => [randomUUID(), []])));
}
