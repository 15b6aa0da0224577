/**
 * 64 clients call with management keys: unknown ones with a valid checksum, such with a wrong one, and a key that needs a
 * signature, without one and with invalid ones of large bodies. Another team reads and revokes its keys.
 */
import { randomBytes } from 'node:crypto';
import { signRequest } from '../../../../src/client/sign.ts';
import { mintSecret } from '../../../../src/domain/secret/secret.ts';
import { importing, rest } from '../../../support/service.ts';
import { flood } from '../../generator.ts';
import { rawRequest } from '../../raw-connection.ts';
import type { Attack } from '../attack.ts';
import { createKeys, managedKeys, measureManagement, newTenant, tokenFor } from '../tenants.ts';

const connections = 64;
/** As in the attack bad-tokens. */
const callsPerSecond = 500;
const bodyBytes = 60_000;

interface SignedKey {
  readonly id: string;
  readonly secret: string;
  readonly signingSecret: string;
}

export const badManagementKeys: Attack = {
  name: 'bad-management-keys',
  run: async (stage) => {
    const server = await stage.start();
    const { url } = server;
    const [victim, { team }] = [newTenant(), newTenant()];
    const made = await rest(url, tokenFor({ [team]: [...importing, 'manage_access'] }), 'POST', '/v1/management-keys', {
      ...{ teamId: team, name: 'Signed', permissions: ['view_team'], signing: true },
      expiresAt: new Date(Date.now() + 86_400_000),
    });
    if (made.status !== 201) throw new Error(`no management key: ${made.status}`);
    const read = (token: string) => rawRequest({ method: 'GET', path: `/v1/keys?teamId=${team}`, token });
    const requests = Array.from({ length: 500 }, (_, i) => {
      const { secret } = mintSecret('lk', 'mgmt', randomBytes);
      const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
      const signed = invalidlySigned(url, made.body, i % 2 === 0);
      return [read(secret), read(wrong), read(made.body.secret), signed];
    });
    const begin = () => flood(url, requests.flat(), connections, { perSecond: callsPerSecond });
    const ids = (await createKeys(server, victim, managedKeys)).map(({ id }) => id);
    return await measureManagement(server, victim, ids, begin);
  },
};

/** Signed with another secret, so that it is computed and compared; or as it should be, but with another body. */
function invalidlySigned(url: string, { id, secret, signingSecret }: SignedKey, isBodyWrong: boolean): string {
  const request = { method: 'POST', url: `${url}/v1/keys`, body: ' '.repeat(bodyBytes) };
  const by = isBodyWrong ? signingSecret : randomBytes(32).toString('hex');
  const headers = { ...signRequest(request, { keyId: id, signingSecret: by, expiresInSeconds: 300 }) };
  const body = isBodyWrong ? 'x'.repeat(bodyBytes) : request.body;
  return rawRequest({ method: 'POST', path: '/v1/keys', token: secret, body, headers });
}
