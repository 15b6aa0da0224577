/** One address guesses well-formed keys as fast as it can; others go on verifying theirs. */

import { attackerAddresses, flood } from '../../generator.ts';
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { createKey, newTenant, unknownSecrets, verifications, verifyRequest } from '../tenants.ts';

const connections = 64;
const guesses = 20_000;

export const guessing: Attack = {
  name: 'guessing',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const requests = unknownSecrets(guesses).map((secret) => verifyRequest({ key: secret }));
    const measured = await measure({
      victim: 'verification of other callers, 2,000/s',
      plan: () => verifications(server, key),
      begin: () => flood(server.verifyUrl, requests, connections, { addresses: attackerAddresses(1) }),
    });
    return [latencyRow(measured, verificationBound)];
  },
};
