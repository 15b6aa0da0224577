/** Each operation as a call over REST or GraphQL, and its answer. */
import type { Call } from '../torture/connection.ts';
import type { Answer } from './ledger.ts';
import type { Change } from './model.ts';

type Transport = 'REST' | 'GraphQL';

const fields =
  'id name env prefix state allowedIps scopes expiresAt disabledAt previousSecretExpiresAt signingEnabled createdAt revokedAt';

const mutations = {
  create: `mutation ($input: CreateKeyInput!) { done: createKey(input: $input) { secret apiKey { ${fields} } } }`,
  update: `mutation ($id: UUID!, $input: UpdateKeyInput!) { done: updateKey(id: $id, input: $input) { apiKey { ${fields} } } }`,
  revoke: `mutation ($id: UUID!) { done: revokeKey(id: $id) { apiKey { ${fields} } } }`,
  enable: `mutation ($id: UUID!) { done: enableSigning(id: $id) { signingSecret apiKey { ${fields} } } }`,
  rotate: `mutation ($id: UUID!) { done: rotateSigningSecret(id: $id) { signingSecret apiKey { ${fields} } } }`,
  disable: `mutation ($id: UUID!) { done: disableSigning(id: $id) { apiKey { ${fields} } } }`,
  rotateKey: `mutation ($id: UUID!, $overlapSeconds: Int!) { done: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { secret apiKey { ${fields} } } }`,
  endOverlap: `mutation ($id: UUID!) { done: endOverlap(id: $id) { apiKey { ${fields} } } }`,
  disableKey: `mutation ($id: UUID!) { done: disableKey(id: $id) { apiKey { ${fields} } } }`,
  enableKey: `mutation ($id: UUID!) { done: enableKey(id: $id) { apiKey { ${fields} } } }`,
} as const;

const restKinds: ReadonlySet<Change['kind']> = new Set(['create', 'update', 'revoke', 'enable', 'rotate', 'disable']);

/** Whether the run makes this change over REST too. */
export function isInRest(kind: Change['kind']): boolean {
  return restKinds.has(kind);
}

/** `id` is null for a create. */
export function callFor(transport: Transport, teamId: string, id: string | null, change: Change): Call {
  const input = inputOf(change, teamId);
  if (transport === 'GraphQL') {
    const { overlapSeconds } = { overlapSeconds: undefined, ...change };
    const variables = { ...(id === null ? {} : { id }), overlapSeconds, ...(input === undefined ? {} : { input }) };
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: mutations[change.kind], variables }) };
  }
  const body = input === undefined ? {} : { body: JSON.stringify(input) };
  switch (change.kind) {
    case 'create':
      return { method: 'POST', path: '/v1/keys', ...body };
    case 'update':
      return { method: 'PATCH', path: `/v1/keys/${id}`, ...body };
    case 'revoke':
      return { method: 'DELETE', path: `/v1/keys/${id}` };
    default:
      return { method: 'POST', path: `/v1/keys/${id}/signing/${change.kind}` };
  }
}

function inputOf(change: Change, teamId: string): object | undefined {
  if (change.kind === 'update') return change.fields;
  if (change.kind !== 'create') return undefined;
  const { kind: _, ...input } = change;
  return { teamId, ...input };
}

/** Null if the answer does not show whether the operation was done, because the store did not answer. */
export function readAnswer(
  transport: Transport,
  reply: { status: number; text: string; ended: number },
): Answer | null {
  const body = JSON.parse(reply.text);
  const rejection: string | null =
    transport === 'REST' ? (body.code ?? null) : (body.errors?.[0]?.extensions?.code ?? null);
  if (rejection === 'UNAVAILABLE') return null;
  if (rejection !== null) return { ended: reply.ended, rejection, shown: {} };
  if (reply.status >= 300) throw new Error(`status ${reply.status} without a code`);
  const { secret, signingSecret, ...rest } = transport === 'REST' ? body : body.data.done;
  const { ok: _, apiKey, ...shown } = rest;
  return {
    ended: reply.ended,
    rejection,
    shown: { ...shown, ...apiKey },
    ...(typeof secret === 'string' ? { secret } : {}),
    ...(typeof signingSecret === 'string' ? { signingSecret } : {}),
  };
}
