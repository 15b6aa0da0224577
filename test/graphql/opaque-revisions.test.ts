// SECURITY.md: Hostile tenant
/** What a team sees of its own changes says nothing about how many changes others make. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { theProvider } from '../support/databases.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, secondInstance, sessionToken, startService } from '../support/service.ts';

const [team, other] = [randomUUID(), randomUUID()];
const token = sessionToken({ [team]: both, [other]: both });
const read = `query ($team: UUID!, $id: UUID!, $after: String) {
  key(id: $id) { revision }
  auditLog(teamId: $team, first: 2, after: $after) { edges { cursor node { id } } pageInfo { endCursor hasNextPage } }
}`;

const running = inTests(() => startService(theProvider));
let id: string;
let etag: string | null;
beforeAll(async () => {
  const create = (teamId: string) =>
    rest(running.url, token, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  const answer = await create(team);
  id = answer.body.id;
  etag = answer.headers.get('etag');
  for (let i = 0; i < 3; i += 1) await create(other);
  await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { name: 'Renamed' });
  await create(team);
});

const readAt = async (url: string, after?: string) =>
  (await graphql(url, token, read, { team, id, ...(after === undefined ? {} : { after }) })).body;

it('revisions, entity tags, audit ids and cursors have no number in them', async () => {
  const { key, auditLog } = (await readAt(running.url)).data;
  const ids = auditLog.edges.map((edge: { node: { id: string } }) => edge.node.id);
  for (const text of [key.revision, ...ids]) expect(text).toMatch(/^[\w-]{22}$/);
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  for (const { cursor, node } of auditLog.edges) {
    expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).toEqual(['AUDIT', node.id]);
  }
});

it('another instance shows the same ones, and takes the cursors of this one', async () => {
  const second = await secondInstance(running);
  const server = createServer(second.app);
  try {
    const url = await listen(server);
    const first = (await readAt(running.url)).data;
    expect((await readAt(url)).data).toEqual(first);
    const { endCursor } = first.auditLog.pageInfo;
    const [here, there] = [(await readAt(running.url, endCursor)).data, (await readAt(url, endCursor)).data];
    expect(there).toEqual(here);
    expect(there.auditLog.edges).toHaveLength(1);
  } finally {
    await stopListening(server);
    await second.close();
  }
});

it.each([
  ['a number, as versions before this had it', '1'],
  ['an id of another service', 'pEBlwU0dVvV0sUuyJ1nJ7g'],
])('a cursor made of %s is BAD_USER_INPUT', async (_, text) => {
  const after = Buffer.from(JSON.stringify(['AUDIT', text])).toString('base64url');
  const { errors } = await readAt(running.url, after);
  expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field: 'after' }] });
});
