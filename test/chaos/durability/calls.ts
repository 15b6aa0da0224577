/** Each operation as a call over REST or GraphQL, and its answer. */
import type { Call, Reply } from '../../load/client.ts';
import type { Answer } from './ledger.ts';
import type { Change } from './model.ts';

export const transports = ['REST', 'GraphQL'] as const;
export type Transport = (typeof transports)[number];

/** The fields of a key that the run checks. */
export const keyFields =
  'id name env prefix state allowedIps scopes expiresAt disabledAt previousSecretExpiresAt signingEnabled createdAt revokedAt';

interface Route {
  readonly method: string;
  /** After `/v1/keys`. */
  readonly path: string;
  readonly mutation: string;
  /** What the mutation returns besides the key. */
  readonly secret?: 'secret' | 'signingSecret';
}

const routes: Readonly<Record<Change['kind'], Route>> = {
  create: { method: 'POST', path: '', mutation: 'createKey', secret: 'secret' },
  update: { method: 'PATCH', path: '/:id', mutation: 'updateKey' },
  revoke: { method: 'DELETE', path: '/:id', mutation: 'revokeKey' },
  enable: { method: 'POST', path: '/:id/signing/enable', mutation: 'enableSigning', secret: 'signingSecret' },
  rotate: { method: 'POST', path: '/:id/signing/rotate', mutation: 'rotateSigningSecret', secret: 'signingSecret' },
  disable: { method: 'POST', path: '/:id/signing/disable', mutation: 'disableSigning' },
  rotateKey: { method: 'POST', path: '/:id/rotate', mutation: 'rotateKey', secret: 'secret' },
  endOverlap: { method: 'POST', path: '/:id/end-overlap', mutation: 'endOverlap' },
  disableKey: { method: 'POST', path: '/:id/disable', mutation: 'disableKey' },
  enableKey: { method: 'POST', path: '/:id/enable', mutation: 'enableKey' },
};

/** `id` is null for a create. */
export function callFor(transport: Transport, teamId: string, id: string | null, change: Change): Call {
  const { method, path, mutation, secret = '' } = routes[change.kind];
  const input = inputOf(change, teamId);
  if (transport === 'REST') {
    const body = input === undefined ? {} : { body: JSON.stringify(input) };
    return { method, path: `/v1/keys${path.replace(':id', String(id))}`, ...body };
  }
  const { kind } = change;
  const types = {
    ...(id !== null && { id: 'UUID!' }),
    ...(kind === 'create' && { input: 'CreateKeyInput!' }),
    ...(kind === 'update' && { input: 'UpdateKeyInput!' }),
    ...(kind === 'rotateKey' && { overlapSeconds: 'Int!' }),
  };
  const declared = Object.entries(types).map(([name, type]) => `$${name}: ${type}`);
  const passed = Object.keys(types).map((name) => `${name}: $${name}`);
  const query = `mutation (${declared}) { done: ${mutation}(${passed}) { ${secret} apiKey { ${keyFields} } } }`;
  const variables = { ...(id !== null && { id }), ...(kind === 'rotateKey' ? input : { input }) };
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) };
}

function inputOf(change: Change, teamId: string): object | undefined {
  if (change.kind === 'update') return change.fields;
  if (change.kind === 'rotateKey') return { overlapSeconds: change.overlapSeconds };
  if (change.kind !== 'create') return undefined;
  const { kind: _, ...input } = change;
  return { teamId, ...input };
}

/** Null if the answer does not show whether the operation was done, because the store did not answer. */
export function readAnswer(transport: Transport, { status, text, ended }: Reply): Answer | null {
  const body = JSON.parse(text);
  const rejection: string | null =
    transport === 'REST' ? (body.code ?? null) : (body.errors?.[0]?.extensions?.code ?? null);
  if (rejection === 'UNAVAILABLE') return null;
  if (rejection !== null) return { ended, rejection, shown: {} };
  if (status >= 300) throw new Error(`status ${status} without a code`);
  const { secret, signingSecret, ...rest } = transport === 'REST' ? body : body.data.done;
  const { ok: _, apiKey, ...shown } = rest;
  return {
    ended,
    rejection,
    shown: { ...shown, ...apiKey },
    ...(typeof secret === 'string' ? { secret } : {}),
    ...(typeof signingSecret === 'string' ? { signingSecret } : {}),
  };
}
