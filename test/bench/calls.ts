/** The calls that the benchmarks of verification make besides verification. */
import { randomUUID } from 'node:crypto';
import { both, rest, sessionToken } from '../support/service.ts';
import type { BenchServer } from './server.ts';

const team = randomUUID();
export const token = sessionToken({ [team]: both });

export async function createKey({ url }: BenchServer): Promise<{ readonly id: string; readonly secret: string }> {
  const { body } = await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'Bench', env: 'live' });
  return { id: String(body.id), secret: String(body.secret) };
}

export async function verdictOf({ verifyUrl }: BenchServer, key: string) {
  return (await rest(verifyUrl, null, 'POST', '/v1/verify', { key })).body;
}
