/** Each change as a call over REST or GraphQL, its answer, and the call that verifies a key. */
import { hash, randomBytes } from 'node:crypto';
import { signRequest } from '../../src/client/sign.ts';
import { type Call, isUnavailable, type Reply } from '../harness/client.ts';
import type { Change, ChangeKind } from '../harness/key-model.ts';
import type { Circumstances } from '../proof/history/format.ts';
import type { Answer, Transport } from './ledger.ts';
import type { Key } from './pool.ts';

/** The fields of a key that the runs check. */
export const keyFields =
  'id name env prefix state allowedIps scopes expiresAt disabledAt previousSecretExpiresAt signingEnabled createdAt revokedAt';

interface Route {
  readonly method: string;
  /** After `/v1/keys`. */
  readonly path: string;
  /** What the mutation returns besides the key. */
  readonly secret?: 'secret' | 'signingSecret';
}

type KeyChangeKind = Exclude<ChangeKind, 'importKeys' | 'freezeKeys' | 'unfreezeKeys'>;

const routes: Readonly<Record<KeyChangeKind, Route>> = {
  createKey: { method: 'POST', path: '', secret: 'secret' },
  updateKey: { method: 'PATCH', path: '/:id' },
  revokeKey: { method: 'DELETE', path: '/:id' },
  enableSigning: { method: 'POST', path: '/:id/signing/enable', secret: 'signingSecret' },
  rotateSigningSecret: { method: 'POST', path: '/:id/signing/rotate', secret: 'signingSecret' },
  disableSigning: { method: 'POST', path: '/:id/signing/disable' },
  rotateKey: { method: 'POST', path: '/:id/rotate', secret: 'secret' },
  endOverlap: { method: 'POST', path: '/:id/end-overlap' },
  disableKey: { method: 'POST', path: '/:id/disable' },
  enableKey: { method: 'POST', path: '/:id/enable' },
};

/** Over REST: freezes the keys that were created by `creator`, or lifts that fence. */
export function fenceCall(teamId: string, creator: string, fenceId: string | null): Call {
  if (fenceId !== null) return { method: 'DELETE', path: `/v1/fences/${fenceId}` };
  return {
    ...{ method: 'POST', path: '/v1/fences' },
    body: JSON.stringify({ teamId, reason: 'A drill', responsible: creator }),
  };
}

/** `id` is null for a new key. `imported`: the secret of an imported one. */
export function callFor(transport: Transport, teamId: string, id: string | null, change: Change, imported = ''): Call {
  const { kind } = change;
  if (kind === 'importKeys') {
    const keys = [{ digest: hash('sha256', imported), name: change.name, env: change.env }];
    const query = `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!) {
      done: importKeys(teamId: $teamId, keys: $keys) { results { apiKey { ${keyFields} } } }
    }`;
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables: { teamId, keys } }) };
  }
  if (kind === 'freezeKeys' || kind === 'unfreezeKeys') throw new Error('a fence has calls of its own');
  const { method, path, secret = '' } = routes[kind];
  const input = inputOf(change, teamId);
  if (transport === 'REST') {
    const body = input === undefined ? {} : { body: JSON.stringify(input) };
    return { method, path: `/v1/keys${path.replace(':id', String(id))}`, ...body };
  }
  const types = {
    ...(id !== null && { id: 'UUID!' }),
    ...(kind === 'createKey' && { input: 'CreateKeyInput!' }),
    ...(kind === 'updateKey' && { input: 'UpdateKeyInput!' }),
    ...(kind === 'rotateKey' && { overlapSeconds: 'Int!' }),
  };
  const declared = Object.entries(types).map(([name, type]) => `$${name}: ${type}`);
  const passed = Object.keys(types).map((name) => `${name}: $${name}`);
  const query = `mutation (${declared}) { done: ${kind}(${passed}) { ${secret} apiKey { ${keyFields} } } }`;
  const variables = { ...(id !== null && { id }), ...(kind === 'rotateKey' ? input : { input }) };
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) };
}

function inputOf(change: Change, teamId: string): object | undefined {
  if (change.kind === 'updateKey') return change.settings;
  if (change.kind === 'rotateKey') return { overlapSeconds: change.overlapSeconds };
  return change.kind === 'createKey' ? { teamId, name: change.name, env: change.env } : undefined;
}

/** Null if the answer does not show whether the change was made, because the store did not answer. */
export function readAnswer(path: string, reply: Reply): Answer | null {
  const { status, text, ended } = reply;
  const body = JSON.parse(text);
  const isRest = path !== '/graphql';
  const [error] = body.errors ?? [];
  const rejection: string | null = isRest ? (body.code ?? null) : (error?.extensions?.code ?? null);
  if (rejection === 'UNAVAILABLE') {
    const problem = isRest ? text : JSON.stringify({ code: rejection, detail: error.message });
    if (isUnavailable({ status: 503, text: problem })) return null;
  }
  if (rejection !== null && status < 500) return { ended, rejection, shown: {} };
  if (status >= 300 || rejection !== null) throw new Error('this is no answer to a change');
  const { secret, signingSecret, ...rest } = isRest ? body : body.data.done;
  const { ok: _, apiKey, results, ...shown } = rest;
  const key = apiKey ?? results?.[0].apiKey;
  if (key === null) throw new Error('the key was not imported');
  return {
    ended,
    rejection,
    shown: { ...shown, ...key },
    ...(typeof secret === 'string' ? { secret } : {}),
    ...(typeof signingSecret === 'string' ? { signingSecret } : {}),
  };
}

const request = { method: 'GET', url: 'https://api.example.test/orders?limit=5' };

/** The body of `POST /v1/verify`. Each signature is a new one: the same one again would be a replay. */
export function verifyBody(
  { id, secrets, signingSecrets }: Pick<Key, 'id'> & { secrets: readonly string[]; signingSecrets: readonly string[] },
  { secret, scopes, env, source, signedWith }: Circumstances,
): string {
  const signingSecret = () => signingSecrets[signedWith ?? -1] ?? randomBytes(32).toString('hex');
  const signed = () => signRequest(request, { keyId: id, signingSecret: signingSecret(), expiresInSeconds: 300 });
  return JSON.stringify({
    key: secrets[secret],
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(env === null ? {} : { env }),
    ...(source === null ? {} : { sourceIp: source }),
    ...(signedWith === null ? {} : { request: { ...request, headers: signed() } }),
  });
}
