/** 512 connections without a token send junk to `/v1/verify`, from one address or many; a serial client verifies its key. */
import { randomUUID } from 'node:crypto';
import { type Attack, measure, medianRow, type Row } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad, victimAddress } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, verifications } from '../tenants.ts';

const connections = 512;
const presented = 5000;
/** Between an answer and the next call of the victim, as a job that does something has it. */
const pauseMs = 20;

const origins = {
  'from its own address': [victimAddress],
  'from 512 addresses': manyAddresses(connections),
};

export const junk: Attack = {
  name: 'junk',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const requests = Array.from({ length: presented }, () =>
      rawRequest({ method: 'POST', path: '/v1/verify', body: { key: randomUUID() } }),
    );
    const rows: Row[] = [];
    for (const [origin, addresses] of Object.entries(origins)) {
      const victim = `a serial verifier beside junk ${origin}`;
      const { perSecond: _, ...serial } = verifications(server, key);
      const measured = await measure(stage, {
        victim,
        plan: () => ({ ...serial, connections: 1, pauseMs }),
        begin: () => startLoad({ url: server.verifyUrl, requests, connections, addresses, niceness: attackerNiceness }),
      });
      rows.push(medianRow(victim, measured));
    }
    return rows;
  },
};
