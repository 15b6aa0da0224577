/** A team's keys allow host names whose name server never answers; other teams go on verifying their keys. */

import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { progress } from '../../../harness/print.ts';
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { flood } from '../load.ts';
import { createKey, importedKey, importKeys, newTenant, verifications, verifyRequest } from '../tenants.ts';

/** Each with a host name of its own: more than are resolved within the time in which a failure is remembered. */
const keys = 8000;
/** More than a process verifies at once. */
const connections = 1500;
const attacksPerSecond = 1000;
const victimsPerSecond = 200;

export const silentDns: Attack = {
  name: 'silent-dns',
  run: async (stage) => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const server = await stage.start({ DNS_SERVERS: `127.0.0.1:${silent.address().port}` });
      progress(`importing ${keys} keys`);
      const secrets = Array.from({ length: keys }, () => randomUUID());
      const imported = secrets.map((secret, i) => ({
        ...importedKey(i, secret),
        allowedIps: [`host-${i}.example.com`],
      }));
      await importKeys(server, newTenant(), imported);
      const requests = secrets.map((secret) => verifyRequest({ key: secret, sourceIp: '203.0.113.9' }));
      const key = await createKey(server, newTenant());
      const measured = await measure({
        victim: `verification of other teams' keys, ${victimsPerSecond}/s`,
        plan: () => verifications(server, key, victimsPerSecond),
        begin: () => flood(server.verifyUrl, requests, connections, { perSecond: attacksPerSecond }),
      });
      return [latencyRow(measured, verificationBound)];
    } finally {
      silent.close();
    }
  },
};
