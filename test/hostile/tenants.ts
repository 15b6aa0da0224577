/** Teams with keys, and what their clients ask. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import type { BenchServer } from '../bench/server.ts';
import { graphql, jwtSecret, rest } from '../support/service.ts';
import { victimAddress } from './load.ts';
import type { LoadPlan } from './load-plan.ts';
import { rawRequest } from './raw-connection.ts';

export interface Tenant {
  readonly team: string;
  readonly token: string;
}

/** All permissions. */
export const everything: readonly string[] = ['view_team', 'manage_keys', 'import_keys'];

/** With a subject of its own. */
export function newTenant(): Tenant {
  const team = randomUUID();
  return { team, token: tokenFor({ [team]: everything }) };
}

export function tokenFor(teams: Readonly<Record<string, readonly string[]>>): string {
  return jwt.sign({ teams }, jwtSecret, { subject: randomUUID(), expiresIn: 3600 });
}

export interface Key {
  readonly id: string;
  readonly secret: string;
}

export async function createKey({ url }: BenchServer, { team, token }: Tenant): Promise<Key> {
  const answer = await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' });
  if (answer.status !== 201) throw new Error(`no key: ${answer.status}`);
  return { id: String(answer.body.id), secret: String(answer.body.secret) };
}

export interface ImportedKey {
  readonly digest: string;
  readonly name: string;
  readonly env: string;
  readonly allowedIps?: readonly string[];
}

export function importedKey(number: number, secret: string = randomUUID()): ImportedKey {
  return { digest: createHash('sha256').update(secret).digest('hex'), name: `Key ${number}`, env: 'live' };
}

/** As many as one call takes. */
const batch = 200;

export async function importKeys(
  { url }: BenchServer,
  { team, token }: Tenant,
  keys: readonly ImportedKey[],
): Promise<void> {
  const mutation = `mutation ($team: UUID!, $keys: [ImportKeyInput!]!) {
    importKeys(teamId: $team, keys: $keys) { results { outcome } }
  }`;
  for (let done = 0; done < keys.length; done += batch) {
    const answer = await graphql(url, token, mutation, { team, keys: keys.slice(done, done + batch) });
    if (answer.body.errors !== undefined) throw new Error(`no import: ${JSON.stringify(answer.body.errors)}`);
  }
}

/** Keys that are well-formed, checksum included, and do not exist. */
export function unknownSecrets(count: number): readonly string[] {
  return Array.from({ length: count }, () => mintSecret('lk', 'live', randomBytes).secret);
}

/** The victim of most attacks: verifications of a good key at a fixed rate. */
export function verifications({ verifyUrl }: BenchServer, { secret }: Key, perSecond = 2000): LoadPlan {
  return {
    url: verifyUrl,
    requests: [rawRequest({ method: 'POST', path: '/v1/verify', body: { key: secret, env: 'live' } })],
    connections: 32,
    addresses: [victimAddress],
    perSecond,
    expected: '"valid":true',
  };
}
