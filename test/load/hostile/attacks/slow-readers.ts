/** 300 callers without any permission ask for large answers and never read them; others must still be able to revoke. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { graphql } from '../../../support/service.ts';
import { attackerAddresses } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Assault, type Attack, latencyRow, notServed } from '../attack.ts';
import { createKeys, measureRevocations, newTenant, revokedKeys, revokeRequests, tokenFor } from '../tenants.ts';

const callers = 300;
/** As many aliases as a document may have. Every caller may send this. */
const query = `{ ${Array.from({ length: 15 }, (_, i) => `a${i}: viewer { teams { id permissions } }`).join(' ')} }`;
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
    const keys = await createKeys(server, tenant, revokedKeys(revokesPerSecond));
    const ids = keys.map(({ id }) => id);
    const { body } = await graphql(server.url, powerless(), query);
    if (body.errors !== undefined) throw new Error('the document is rejected');
    const measured = await measureRevocations(
      { url: server.url, perSecond: revokesPerSecond, requests: revokeRequests(tenant, ids) },
      {
        victim: `revokeKey with a valid token, ${revokesPerSecond}/s`,
        buildUpSeconds: 0,
        begin: async () => readNothing(server.port),
      },
    );
    const slowest = Math.max(...measured.attacked.map(({ maxMs }) => maxMs));
    const late = slowest > withinMs ? [`the slowest revoke took ${slowest.toFixed(0)} ms`] : [];
    const row = latencyRow(measured, { times: 0, ms: withinMs });
    return [{ ...row, bound: `each within ${withinMs} ms`, violations: [...late, ...notServed(measured.attacked)] }];
  },
};

/** Callers with subjects and addresses of their own, which reconnect when they are cut off. */
function readNothing(port: number): Assault {
  const addresses = attackerAddresses(callers);
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
