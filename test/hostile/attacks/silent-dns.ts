/** A team's keys allow host names whose name server never answers; other teams go on verifying their keys. */
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, importedKey, importKeys, newTenant, verifications } from '../tenants.ts';

/** Each with a host name of its own: more than are asked for within the time in which a failure is remembered. */
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
      const attacker = newTenant();
      stage.progress(`importing ${keys} keys`);
      const secrets = Array.from({ length: keys }, () => randomUUID());
      const hostOf = (i: number) => `host-${i}.example.com`;
      const imported = secrets.map((secret, i) => ({ ...importedKey(i, secret), allowedIps: [hostOf(i)] }));
      await importKeys(server, attacker, imported);
      const requests = secrets.map((secret) =>
        rawRequest({ method: 'POST', path: '/v1/verify', body: { key: secret, sourceIp: '203.0.113.9' } }),
      );
      const key = await createKey(server, newTenant());
      const victim = `verification of other teams' keys, ${victimsPerSecond}/s`;
      const measured = await measure(stage, {
        victim,
        plan: () => verifications(server, key, victimsPerSecond),
        begin: () =>
          startLoad({
            url: server.verifyUrl,
            requests,
            connections,
            addresses: manyAddresses(connections),
            perSecond: attacksPerSecond,
            niceness: attackerNiceness,
          }),
      });
      return [latencyRow(victim, measured, verificationBound)];
    } finally {
      silent.close();
    }
  },
};
