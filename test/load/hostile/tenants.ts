/** Teams with keys, and the calls of their clients. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Permission } from '../../../src/domain/key/permission.ts';
import { mintSecret } from '../../../src/domain/secret/secret.ts';
import type { Server } from '../../harness/server.ts';
import type { MadeKey } from '../../support/calls.ts';
import { graphql, importing, rest, sessionToken } from '../../support/service.ts';
import { rawRequest } from '../raw-connection.ts';
import { type Encounter, type Measured, measure, measurements, medianRow, type Row, seconds } from './attack.ts';
import { type LoadPlan, victimAddress } from './load.ts';

export interface Tenant {
  readonly team: string;
  readonly token: string;
}

/** With all permissions, and a subject of its own. */
export function newTenant(): Tenant {
  const team = randomUUID();
  return { team, token: tokenFor({ [team]: importing }) };
}

/** The same, who can also manage webhooks. */
export function newWebhookTenant(): Tenant {
  const team = randomUUID();
  return { team, token: tokenFor({ [team]: [...importing, 'manage_webhooks'] }) };
}

export function tokenFor(teams: Readonly<Record<string, readonly Permission[]>>): string {
  return sessionToken(teams, randomUUID());
}

export type Key = MadeKey;

export async function createKey({ url }: Server, { team, token }: Tenant): Promise<Key> {
  const answer = await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' });
  if (answer.status !== 201) throw new Error(`no key: ${answer.status}`);
  return answer.body;
}

export async function createKeys(server: Server, tenant: Tenant, count: number): Promise<Key[]> {
  const keys: Key[] = [];
  while (keys.length < count) keys.push(await createKey(server, tenant));
  return keys;
}

export interface ImportedKey {
  readonly digest: string;
  readonly name: string;
  readonly env: string;
  readonly allowedIps?: readonly string[];
}

export function importedKey(number: number, secret: string = randomUUID()): ImportedKey {
  return { digest: hash('sha256', secret), name: `Key ${number}`, env: 'live' };
}

/** As many as one call takes. */
const batch = 200;

export async function importKeys(
  { url }: Server,
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

export function verifyRequest(body: object): string {
  return rawRequest({ method: 'POST', path: '/v1/verify', body });
}

/** The victim of most attacks: verifications of a valid key at a fixed rate. */
export function verifications({ verifyUrl }: Server, { secret }: Key, perSecond = 2000): LoadPlan {
  return {
    url: verifyUrl,
    requests: [verifyRequest({ key: secret, env: 'live' })],
    connections: 32,
    addresses: [victimAddress],
    perSecond,
    expected: '"valid":true',
  };
}

/** The same from one connection, with a pause after each answer, like a job that uses the answer. */
export function serialVerifications(server: Server, key: Key): LoadPlan {
  const { perSecond: _, ...plan } = verifications(server, key);
  return { ...plan, connections: 1, pauseMs: 20 };
}

/** The number of keys that victims need who revoke keys at this rate: a key is revoked once. */
export const revokedKeys = (perSecond: number) => perSecond * (seconds + 1) * measurements;

export interface Revocations {
  readonly url: string;
  readonly perSecond: number;
  /** One for each key. */
  readonly requests: readonly string[];
}

/** Measures victims who revoke keys. */
export async function measureRevocations(
  { url, perSecond, requests }: Revocations,
  encounter: Encounter,
): Promise<Measured> {
  const left = [...requests];
  const plan = () => ({
    url,
    requests: left.splice(0, perSecond * (seconds + 1)),
    connections: 16,
    addresses: [victimAddress],
    perSecond,
    expected: '"ok":true',
  });
  return await measure({ ...encounter, plan });
}

export function revokeRequests({ token }: Tenant, ids: readonly string[]): string[] {
  return ids.map((id) => rawRequest({ method: 'DELETE', path: `/v1/keys/${id}`, token }));
}

const readsPerSecond = 20;
const revokesPerSecond = 5;

/** The number of keys of the team in `measureManagement`: one to read, and those to revoke. */
export const managedKeys = 1 + revokedKeys(revokesPerSecond);

/** Measures another team that reads a key and revokes keys while management is attacked. */
export async function measureManagement(
  { url }: Server,
  tenant: Tenant,
  [read = '', ...toRevoke]: readonly string[],
  begin: Encounter['begin'],
): Promise<readonly Row[]> {
  const requests = [rawRequest({ method: 'GET', path: `/v1/keys/${read}`, token: tenant.token })];
  const reading = await measure({
    victim: `a read of another team, ${readsPerSecond}/s`,
    plan: () => ({ url, requests, connections: 16, addresses: [victimAddress], perSecond: readsPerSecond }),
    begin,
  });
  const victim = `a revoke of another team, ${revokesPerSecond}/s`;
  const revocations = { url, perSecond: revokesPerSecond, requests: revokeRequests(tenant, toRevoke) };
  return [medianRow(reading), medianRow(await measureRevocations(revocations, { victim, begin }))];
}
