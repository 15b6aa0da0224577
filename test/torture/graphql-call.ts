/** Changes that are made over GraphQL, with answers as REST gives them. */
import type { Call, Reply } from './connection.ts';

const mutations = {
  rotateKey:
    'mutation ($id: UUID!, $overlapSeconds: Int!) { rotateKey(id: $id, overlapSeconds: $overlapSeconds) { secret } }',
  endOverlap: 'mutation ($id: UUID!) { endOverlap(id: $id) { apiKey { id } } }',
  disableKey: 'mutation ($id: UUID!) { disableKey(id: $id) { apiKey { id } } }',
  enableKey: 'mutation ($id: UUID!) { enableKey(id: $id) { apiKey { id } } }',
} as const;

export function graphqlCall(name: keyof typeof mutations, variables: object): Call {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: mutations[name], variables }) };
}

/** GraphQL answers most errors with 200. */
export function asRest(reply: Reply): Reply {
  if (reply.status !== 200) return reply;
  const { data, errors } = JSON.parse(reply.text);
  if (errors === undefined) return { ...reply, text: JSON.stringify(Object.values(data)[0]) };
  const [{ message: detail, extensions }] = errors;
  const status = extensions.code === 'UNAVAILABLE' ? 503 : extensions.code === 'INTERNAL_SERVER_ERROR' ? 500 : 400;
  return { ...reply, status, text: JSON.stringify({ code: extensions.code, detail }) };
}
