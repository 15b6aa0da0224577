/** Teams with keys and with endpoints, for the measurements of events. */
import { randomUUID } from 'node:crypto';
import { Client } from '../../harness/client.ts';
import type { Server } from '../../harness/server.ts';
import { rest, sessionToken } from '../../support/service.ts';

/** As many as a team may have, so that each change is an event for each of them. */
export const endpointsPerTeam = 20;
const connections = 16;
const keysPerTeam = 10;

export interface Team {
  readonly id: string;
  readonly token: string;
  readonly keys: readonly string[];
}

export async function makeTeam(server: Server): Promise<Team> {
  const id = randomUUID();
  const token = sessionToken({ [id]: ['view_team', 'manage_keys', 'manage_webhooks'] });
  return { id, token, keys: await createKeys(server, { id, token }, keysPerTeam) };
}

export async function createKeys({ port }: Server, { id, token }: Pick<Team, 'id' | 'token'>, count: number) {
  const client = new Client(port, { connections });
  const body = JSON.stringify({ teamId: id, name: 'A key', env: 'live' });
  const replies = await Promise.all(
    Array.from({ length: count }, () => client.call({ method: 'POST', path: '/v1/keys', token, body })),
  );
  client.close();
  return replies.map((reply): string => {
    if (reply?.status !== 201) throw new Error(`no key: ${reply?.status}`);
    return JSON.parse(reply.text).id;
  });
}

/** Endpoints that get each change and each revocation of a key. */
export async function addEndpoints({ url }: Server, { id, token }: Team, receiver: string): Promise<void> {
  for (let i = 0; i < endpointsPerTeam; i += 1) {
    const body = { teamId: id, url: `${receiver}/${id}/${i}`, types: ['key.updated', 'key.revoked'] };
    const answer = await rest(url, token, 'POST', '/v1/webhooks', body);
    if (answer.status !== 201) throw new Error(`no webhook: ${answer.status}`);
  }
}

/** Revokes each key once. Returns how many per second. */
export async function revokeAll({ port }: Server, token: string, ids: readonly string[]): Promise<number> {
  const client = new Client(port, { connections });
  const startedAt = performance.now();
  const replies = await Promise.all(ids.map((id) => client.call({ method: 'DELETE', path: `/v1/keys/${id}`, token })));
  const elapsed = (performance.now() - startedAt) / 1000;
  client.close();
  if (replies.some((reply) => reply?.status !== 200)) throw new Error('a key could not be revoked');
  return ids.length / elapsed;
}
