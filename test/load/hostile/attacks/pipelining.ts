/** 20 connections without a token pipeline hundreds of requests each to the verification port; others verify their keys. */

import { attackerAddresses, flood } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, measure, medianRow, type Row } from '../attack.ts';
import { createKey, newTenant, verifications } from '../tenants.ts';

const connections = 20;
/** Sent at once. The next ones follow when the first answer has arrived, or on a new connection. */
const pipelined = 400;
const victimsPerSecond = 500;

const attacks = {
  'GET /readyz': rawRequest({ method: 'GET', path: '/readyz' }),
  'GET /v1/keys/self': rawRequest({ method: 'GET', path: '/v1/keys/self', token: 'junk' }),
};

export const pipelining: Attack = {
  name: 'pipelining',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const rows: Row[] = [];
    for (const [name, request] of Object.entries(attacks)) {
      // Fewer than a connection may have waiting, also with those of the next call, and far more.
      for (const count of [8, pipelined]) {
        const requests = [request.repeat(count)];
        const measured = await measure({
          victim: `verification of others, ${victimsPerSecond}/s, beside ${count} × ${name}`,
          plan: () => verifications(server, key, victimsPerSecond),
          begin: () => flood(server.verifyUrl, requests, connections, { addresses: attackerAddresses(1) }),
        });
        rows.push(medianRow(measured));
      }
    }
    return rows;
  },
};
