/** The two ways to make a key: creating and importing it. */
import { hash } from 'node:crypto';
import { type Call, isUnavailable, type Reply } from '../../load/client.ts';
import type { KeyState } from '../../proof/history/format.ts';

interface Made {
  readonly id: string;
  readonly secret: string;
  readonly prefix: string;
}

interface Making {
  /** `secret`: the secret of an imported key. */
  readonly call: (teamId: string, key: KeyState, secret: string) => Call;
  /** Whether the answer only says that the store does not answer. */
  readonly isUnavailable: (reply: Reply) => boolean;
  /** Null if it was not made. */
  readonly made: (reply: Reply, secret: string) => Made | null;
}

export const minting: Making = {
  call: (teamId, { name, env }) => ({
    method: 'POST',
    path: '/v1/keys',
    body: JSON.stringify({ teamId, name, env }),
  }),
  isUnavailable,
  made: ({ status, text }) => (status === 201 ? JSON.parse(text) : null),
};

const query = `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!) {
  importKeys(teamId: $teamId, keys: $keys) { results { apiKey { id prefix } } }
}`;

export const importing: Making = {
  call: (teamId, { name, env }, secret) => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query, variables: { teamId, keys: [{ digest: hash('sha256', secret), name, env }] } }),
  }),
  isUnavailable: (reply) =>
    isUnavailable(reply) || JSON.parse(reply.text).errors?.[0]?.extensions?.code === 'UNAVAILABLE',
  made: ({ text }, secret) => {
    const [result] = JSON.parse(text).data?.importKeys.results ?? [];
    return result?.apiKey == null ? null : { ...result.apiKey, secret };
  },
};
