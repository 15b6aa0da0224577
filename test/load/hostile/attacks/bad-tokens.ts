/** A client sends bad session tokens and unknown management keys; a client with a good one calls from the same address, as behind a proxy. */
import { randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { mintSecret } from '../../../../src/domain/secret/secret.ts';
import { flood, victimAddress } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import { type Attack, latencyRow, measure } from '../attack.ts';
import { createKey, newTenant, revokeRequests } from '../tenants.ts';

const badPerSecond = 500;
const goodPerSecond = 20;

export const badTokens: Attack = {
  name: 'bad-tokens',
  run: async (stage) => {
    const server = await stage.start();
    const { url } = server;
    const tenant = newTenant();
    const { id } = await createKey(server, tenant);
    const bad = Array.from({ length: 1000 }, (_, i) =>
      i % 2 === 0
        ? jwt.sign({ teams: {} }, randomBytes(32), { subject: 'none' })
        : // With a checksum, so that each is looked up.
          mintSecret('lk', 'mgmt', randomBytes).secret,
    );
    const path = `/v1/keys?teamId=${tenant.team}`;
    const badRequests = bad.map((token) => rawRequest({ method: 'GET', path, token }));
    const addresses = [victimAddress];
    const measured = await measure({
      victim: `a good token from the same address, ${goodPerSecond}/s`,
      plan: () => ({
        url,
        requests: revokeRequests(tenant, [id]),
        connections: 8,
        addresses,
        perSecond: goodPerSecond,
        expected: '"ok":true',
      }),
      begin: () => flood(url, badRequests, 16, { addresses, perSecond: badPerSecond }),
    });
    return [latencyRow(measured, { times: 1.5, ms: 100 })];
  },
};
