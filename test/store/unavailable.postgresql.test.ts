/** An unavailable store gives UNAVAILABLE on every port, changes nothing, and is used again when it is back. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

it('PostgreSQL gone and back', async () => {
  const running = await startService('postgresql');
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const input = { teamId: team, name: 'x', env: 'live' };
  const { id } = (await rest(running.url, token, 'POST', '/v1/keys', input)).body;
  const name = new URL(running.database.url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
  await admin.connect();

  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  for (const [method, path, body] of [
    ['POST', '/v1/keys', input],
    ['GET', `/v1/keys?teamId=${team}`, undefined],
    ['DELETE', `/v1/keys/${id}`, undefined],
  ] as const) {
    const answer = await rest(running.url, token, method, path, body);
    expect(answer.body).toMatchObject({
      status: 503,
      code: 'UNAVAILABLE',
      detail: 'The store does not answer; try again shortly.',
    });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  const over = await graphql(running.url, token, `{ key(id: "${id}") { id } }`);
  expect(over.body.errors[0].extensions.code).toBe('UNAVAILABLE');
  expect((await rest(running.url, null, 'GET', '/readyz')).status).toBe(503);
  expect((await rest(running.url, null, 'GET', '/healthz')).status).toBe(200);

  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await admin.end();
  expect((await rest(running.url, null, 'GET', '/readyz')).status).toBe(200);
  const listed = await rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`);
  expect(listed.body.map((key: { id: string }) => key.id)).toEqual([id]);
  expect((await rest(running.url, token, 'DELETE', `/v1/keys/${id}`)).body).toEqual({ ok: true });
  await running.stop();
});
