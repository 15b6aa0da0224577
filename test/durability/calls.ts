/** Each change as a GraphQL mutation, and its answer. */
import type { Call, Reply } from '../load/client.ts';
import type { Answer } from './ledger.ts';
import type { Change } from './model.ts';

/** The fields of a key that the run checks. */
export const keyFields =
  'id name env prefix state allowedIps scopes expiresAt previousSecretExpiresAt signingEnabled createdAt revokedAt';

const apiKey = `apiKey { ${keyFields} }`;
const mutations: Readonly<Record<Change['kind'], string>> = {
  create: `($input: CreateKeyInput!) { done: createKey(input: $input) { secret signingSecret ${apiKey} } }`,
  update: `($id: UUID!, $input: UpdateKeyInput!) { done: updateKey(id: $id, input: $input) { ${apiKey} } }`,
  revoke: `($id: UUID!) { done: revokeKey(id: $id) { ${apiKey} } }`,
  rotate: `($id: UUID!, $overlapSeconds: Int!) {
    done: rotateKey(id: $id, overlapSeconds: $overlapSeconds) { secret ${apiKey} }
  }`,
};

/** `id` is null for a create. */
export function callFor(teamId: string, id: string | null, change: Change): Call {
  const { kind, ...input } = change;
  const variables = kind === 'create' ? { input: { teamId, ...input } } : { id, ...input };
  return {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query: `mutation ${mutations[kind]}`, variables }),
  };
}

/** Null if the answer does not show whether the change was made, because the store did not answer. */
export function readAnswer({ status, text, ended }: Reply): Answer | null {
  const body = JSON.parse(text);
  const rejection: string | null = body.errors?.[0]?.extensions?.code ?? null;
  if (rejection === 'UNAVAILABLE') return null;
  if (rejection !== null) return { ended, rejection, shown: {}, secret: null, signingSecret: null };
  if (status >= 300) throw new Error(`status ${status} without a code`);
  const { secret = null, signingSecret = null, apiKey: shown } = body.data.done;
  return { ended, rejection, shown, secret, signingSecret };
}
