/** Two editors of one key: the second to save gets an error because it has changed, and overwrites nothing. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const team = randomUUID();
const token = sessionToken({ [team]: both });
const update = `mutation ($id: UUID!, $input: UpdateKeyInput!, $ifRevision: [ID!]) {
  updateKey(id: $id, input: $input, ifRevision: $ifRevision) { apiKey { name revision } }
}`;
const read = 'query ($id: UUID!) { key(id: $id) { name revision } }';

const running = inTests(() => startService(theProvider));

const create = async (name = 'A key') => {
  const answer = await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name, env: 'live' });
  return { id: answer.body.id, etag: answer.headers.get('etag') ?? 'none' };
};
const patch = (id: string, body: object, ifMatch?: string) =>
  rest(running.url, token, 'PATCH', `/v1/keys/${id}`, body, ifMatch === undefined ? {} : { 'if-match': ifMatch });
const nameOf = async (id: string) => (await running.service.management.store.keys.find(id))?.name;

it('POST and PATCH answer the key’s entity tag, a strong one that each change renews and nothing else does', async () => {
  const { id, etag } = await create();
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  const looked = await patch(id, {});
  expect([looked.status, looked.headers.get('etag')]).toEqual([200, etag]);
  const renamed = (await patch(id, { name: 'Renamed' })).headers.get('etag');
  expect(renamed).toMatch(/^"[\w-]{22}"$/);
  expect(renamed).not.toBe(etag);
  await rest(running.url, token, 'POST', `/v1/keys/${id}/signing/enable`);
  expect((await patch(id, {})).headers.get('etag')).not.toBe(renamed);
});

it('a PATCH passes on the tag that it names, alone, in a list or as *, and is rejected with 412 on any other', async () => {
  const { id, etag } = await create();
  const first = await patch(id, { name: 'First' }, etag);
  expect([first.status, first.body.name]).toEqual([200, 'First']);
  const late = await patch(id, { name: 'Late', allowedIps: ['10.0.0.1'] }, etag);
  expect(late.status).toBe(412);
  expect(late.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(late.body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
  const current = first.headers.get('etag') ?? '';
  expect((await patch(id, { name: 'Weak' }, `W/${etag}`)).status).toBe(412);
  expect(await nameOf(id)).toBe('First');
  expect((await patch(id, { name: 'Second' }, `${etag}, ${current}`)).status).toBe(200);
  expect((await patch(id, { name: 'Third' }, '*')).status).toBe(200);
  expect(await nameOf(id)).toBe('Third');
});

it.each(
  [
    ...['W/"*"', '"*-gzip"', 'W/"*-gzip"', '"*-br"', '"*-zstd"', '"*-deflate"', '"*-df"', '"*--gzip"', '"*;gzip"'],
    ...['"*:gzip"', '"*-x-gzip"', '"*-br-gzip"', '"other", W/"*-gzip"'],
  ].map((form) => [form]),
)('a PATCH passes on the tag as a compressing proxy changes it to %s, and no longer after a change', async (form) => {
  const { id, etag } = await create();
  const changed = form.replace('*', etag.slice(1, -1));
  expect((await patch(id, { name: 'First' }, changed)).status).toBe(200);
  expect((await patch(id, { name: 'Late' }, changed)).status).toBe(412);
});

it('a PATCH does not pass on the tag with any other text behind it', async () => {
  const { id, etag } = await create();
  for (const text of ['x', '-', '-gzipx', '-gz ip', '-draft', 'gzip', '-gzip-']) {
    const { status } = await patch(id, { name: 'Other' }, `"${etag.slice(1, -1)}${text}"`);
    expect([400, 412], text).toContain(status);
  }
  expect(await nameOf(id)).toBe('A key');
});

it('of twenty concurrent updates of one state, one succeeds and the others get PRECONDITION_FAILED', async () => {
  const { id, etag } = await create();
  const names = Array.from({ length: 20 }, (_, i) => `Name ${i}`);
  const answers = await Promise.all(names.map((name) => patch(id, { name }, etag)));
  const winners = answers.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
  expect(await nameOf(id)).toBe(winners[0]?.body.name);
});

it('a PATCH whose response was lost can be repeated: an update that is already in effect is not a conflict', async () => {
  const { id, etag } = await create();
  const first = await patch(id, { name: 'Once' }, etag);
  const again = await patch(id, { name: 'Once' }, etag);
  expect([again.status, again.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
});

it('what would be rejected without the condition is rejected the same with it', async () => {
  const { id } = await create();
  expect((await patch(randomUUID(), { name: 'x' }, '"0"')).body.code).toBe('KEY_NOT_FOUND');
  expect((await patch(id, { name: '' }, '"0"')).body.code).toBe('BAD_USER_INPUT');
  await rest(running.url, token, 'DELETE', `/v1/keys/${id}`);
  expect((await patch(id, { name: 'x' }, '"0"')).body.code).toBe('KEY_REVOKED');
});

it('GraphQL has the same: revision to read, ifRevision to hand back', async () => {
  const { id, etag } = await create();
  const { revision } = (await graphql(running.url, token, read, { id })).body.data.key;
  expect(`"${revision}"`).toBe(etag);
  const save = (input: object, ifRevision: unknown) => graphql(running.url, token, update, { id, input, ifRevision });
  const saved = (await save({ name: 'Saved' }, [revision])).body.data.updateKey.apiKey;
  expect(saved.name).toBe('Saved');
  expect((await graphql(running.url, token, read, { id })).body.data.key).toEqual(saved);
  const late = await save({ name: 'Late' }, [revision]);
  expect(late.body.errors[0].extensions).toMatchObject({ code: 'PRECONDITION_FAILED' });
  expect((await save({ name: 'Never' }, [])).body.errors[0].extensions.code).toBe('PRECONDITION_FAILED');
  expect((await save({ name: 'Whatever' }, null)).body.data.updateKey.apiKey.name).toBe('Whatever');
});
