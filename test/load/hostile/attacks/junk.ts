/** 512 connections without a token send junk to `/v1/verify`, from one address or many; a serial client verifies its key. */
import { randomUUID } from 'node:crypto';
import { attackerAddresses, flood, victimAddress } from '../../generator.ts';
import { type Attack, measure, medianRow, type Row } from '../attack.ts';
import { createKey, newTenant, serialVerifications, verifyRequest } from '../tenants.ts';

const connections = 512;
const junkKeys = 5000;

const origins = {
  'from its own address': [victimAddress],
  'from 512 addresses': attackerAddresses(connections),
};

export const junk: Attack = {
  name: 'junk',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const requests = Array.from({ length: junkKeys }, () => verifyRequest({ key: randomUUID() }));
    const rows: Row[] = [];
    for (const [origin, addresses] of Object.entries(origins)) {
      const measured = await measure({
        victim: `a serial verifier beside junk ${origin}`,
        plan: () => serialVerifications(server, key),
        begin: () => flood(server.verifyUrl, requests, connections, { addresses }),
      });
      rows.push(medianRow(measured));
    }
    return rows;
  },
};
