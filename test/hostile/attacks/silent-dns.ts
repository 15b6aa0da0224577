/** A team's keys allow host names whose name server never answers; other teams go on verifying their keys. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { rest } from '../../support/service.ts';
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, verifications } from '../tenants.ts';

const keys = 50;
/** Enough that none is asked for twice within the pause after a failure. */
const hostsPerKey = 100;
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
      const requests: string[] = [];
      for (let i = 0; i < keys; i += 1) {
        const { id, secret } = await createKey(server, attacker);
        const allowedIps = Array.from({ length: hostsPerKey }, (_, host) => `host-${host}.of-key-${i}.example`);
        await rest(server.url, attacker.token, 'PATCH', `/v1/keys/${id}`, { allowedIps });
        const body = { key: secret, sourceIp: '203.0.113.9' };
        requests.push(rawRequest({ method: 'POST', path: '/v1/verify', body }));
      }
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
