/** A client sends bad session tokens; a client with a good one calls from the same address, as behind a proxy. */
import { randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { type Attack, latencyRow, measure } from '../attack.ts';
import { attackerNiceness, startLoad, victimAddress } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant } from '../tenants.ts';

const badPerSecond = 500;
const goodPerSecond = 20;

export const badTokens: Attack = {
  name: 'bad-tokens',
  run: async (stage) => {
    const server = await stage.start();
    const tenant = newTenant();
    const { id } = await createKey(server, tenant);
    const bad = Array.from({ length: 1000 }, () => jwt.sign({ teams: {} }, randomBytes(32), { subject: 'none' }));
    const victim = `a good token from the same address, ${goodPerSecond}/s`;
    const measured = await measure(stage, {
      victim,
      plan: () => ({
        url: server.url,
        requests: [rawRequest({ method: 'DELETE', path: `/v1/keys/${id}`, token: tenant.token })],
        connections: 8,
        addresses: [victimAddress],
        perSecond: goodPerSecond,
        expected: '"ok":true',
      }),
      begin: () =>
        startLoad({
          url: server.url,
          requests: bad.map((token) => rawRequest({ method: 'GET', path: `/v1/keys?teamId=${tenant.team}`, token })),
          connections: 16,
          addresses: [victimAddress],
          perSecond: badPerSecond,
          niceness: attackerNiceness,
        }),
    });
    return [latencyRow(victim, measured, { times: 1.5, ms: 100 })];
  },
};
