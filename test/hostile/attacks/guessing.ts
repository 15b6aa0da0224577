/** One address guesses well-formed keys as fast as it can; others go on verifying theirs. */
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, unknownSecrets, verifications } from '../tenants.ts';

const connections = 64;
const guesses = 20_000;

export const guessing: Attack = {
  name: 'guessing',
  run: async (stage) => {
    const server = await stage.start();
    const key = await createKey(server, newTenant());
    const requests = unknownSecrets(guesses).map((secret) =>
      rawRequest({ method: 'POST', path: '/v1/verify', body: { key: secret } }),
    );
    const victim = 'verification of other callers, 2,000/s';
    const measured = await measure(stage, {
      victim,
      plan: () => verifications(server, key),
      begin: () =>
        startLoad({
          url: server.verifyUrl,
          requests,
          connections,
          addresses: manyAddresses(1),
          niceness: attackerNiceness,
        }),
    });
    return [latencyRow(victim, measured, verificationBound)];
  },
};
