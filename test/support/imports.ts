/** Keys of another system, and teams that import them. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { listen, type RunningGateway, stopListening } from './gateway.ts';
import { graphql, importing, rest, secondInstance, sessionToken } from './service.ts';

type Encoding = 'hex' | 'base64' | 'base64url';

export const foreignSecret = () => `sk-${randomBytes(24).toString('base64')}`;
export const sha256 = (secret: string, encoding: Encoding = 'hex') =>
  createHash('sha256').update(secret).digest(encoding);
export const sha512 = (secret: string, encoding: Encoding = 'hex') =>
  createHash('sha512').update(secret).digest(encoding);

/** Allow-lists are selected for few keys only, as they may be long. */
const operation = (keys: number) => `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean! = false) {
  importKeys(teamId: $teamId, keys: $keys, dryRun: $dryRun) {
    dryRun results { outcome apiKey { id teamId name env prefix state ${keys > 10 ? '' : 'allowedIps'} expiresAt signingEnabled revokedAt } }
  }
}`;
const explanation = `query ($input: ExplainVerificationInput!) {
  explainVerification(input: $input) { code apiKey { id } checks { name outcome explanation } }
}`;

/** The verification port of a second instance, until the test has finished. */
export async function secondGateway({ running }: RunningGateway): Promise<string> {
  const other = await secondInstance(running);
  onTestFinished(async () => {
    await stopListening(other.gateway);
    await other.close();
  });
  return await listen(other.gateway);
}

export function importingTeam({ running: { url } }: RunningGateway, permissions: readonly Permission[] = importing) {
  const team = randomUUID();
  const token = sessionToken({ [team]: permissions });
  const call = (keys: readonly object[], more: object = {}) =>
    graphql(url, token, operation(keys.length), {
      teamId: team,
      keys: keys.map((key) => ({ name: 'Old', env: 'live', ...key })),
      ...more,
    });
  const importAll = async (keys: readonly object[], more: object = {}) =>
    (await call(keys, more)).body.data.importKeys.results;
  return {
    team,
    token,
    call,
    importAll,
    /** Returns the id of the imported key. */
    importKey: async (digest: string): Promise<string> => {
      const [{ outcome, apiKey }] = await importAll([{ digest }]);
      if (outcome !== 'IMPORTED') throw new Error(`the key was not imported: ${outcome}`);
      return apiKey.id;
    },
    rejections: async (keys: readonly object[]) => (await call(keys)).body.errors[0].extensions,
    keys: async () => (await rest(url, token, 'GET', `/v1/keys?teamId=${team}`)).body,
    revoke: (id: string) => rest(url, token, 'DELETE', `/v1/keys/${id}`),
    explain: async (input: object) =>
      (await graphql(url, token, explanation, { input: { teamId: team, ...input } })).body.data.explainVerification,
  };
}
