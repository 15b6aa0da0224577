/** Each operation as a call at either door, and what its answer says. */
import type { Call } from '../torture/connection.ts';
import type { Answer } from './ledger.ts';
import type { Wish } from './model.ts';

type Door = 'REST' | 'GraphQL';

const fields = 'id name env prefix state allowedIps expiresAt signingEnabled createdAt revokedAt';

const mutations = {
  create: `mutation ($input: CreateKeyInput!) { done: createKey(input: $input) { secret apiKey { ${fields} } } }`,
  update: `mutation ($id: UUID!, $input: UpdateKeyInput!) { done: updateKey(id: $id, input: $input) { apiKey { ${fields} } } }`,
  revoke: `mutation ($id: UUID!) { done: revokeKey(id: $id) { apiKey { ${fields} } } }`,
  enable: `mutation ($id: UUID!) { done: enableSigning(id: $id) { signingSecret apiKey { ${fields} } } }`,
  rotate: `mutation ($id: UUID!) { done: rotateSigningSecret(id: $id) { signingSecret apiKey { ${fields} } } }`,
  disable: `mutation ($id: UUID!) { done: disableSigning(id: $id) { apiKey { ${fields} } } }`,
} as const;

/** `id` is null for a create. */
export function callFor(door: Door, teamId: string, id: string | null, wish: Wish): Call {
  const input = inputOf(wish, teamId);
  if (door === 'GraphQL') {
    const variables = { ...(id === null ? {} : { id }), ...(input === undefined ? {} : { input }) };
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: mutations[wish.kind], variables }) };
  }
  const body = input === undefined ? {} : { body: JSON.stringify(input) };
  switch (wish.kind) {
    case 'create':
      return { method: 'POST', path: '/v1/keys', ...body };
    case 'update':
      return { method: 'PATCH', path: `/v1/keys/${id}`, ...body };
    case 'revoke':
      return { method: 'DELETE', path: `/v1/keys/${id}` };
    default:
      return { method: 'POST', path: `/v1/keys/${id}/signing/${wish.kind}` };
  }
}

function inputOf(wish: Wish, teamId: string): object | undefined {
  if (wish.kind === 'update') return wish.fields;
  if (wish.kind !== 'create') return undefined;
  const { kind: _, ...input } = wish;
  return { teamId, ...input };
}

/** Null when the answer leaves open what became of the operation: the store could not be asked. */
export function readAnswer(door: Door, reply: { status: number; text: string; ended: number }): Answer | null {
  const body = JSON.parse(reply.text);
  const refusal: string | null = door === 'REST' ? (body.code ?? null) : (body.errors?.[0]?.extensions?.code ?? null);
  if (refusal === 'UNAVAILABLE') return null;
  if (refusal !== null) return { ended: reply.ended, refusal, shown: {} };
  if (reply.status >= 300) throw new Error(`status ${reply.status} without a code`);
  const { secret, signingSecret, ...rest } = door === 'REST' ? body : body.data.done;
  const { ok: _, apiKey, ...shown } = rest;
  return {
    ended: reply.ended,
    refusal,
    shown: { ...shown, ...apiKey },
    ...(typeof secret === 'string' ? { secret } : {}),
    ...(typeof signingSecret === 'string' ? { signingSecret } : {}),
  };
}
