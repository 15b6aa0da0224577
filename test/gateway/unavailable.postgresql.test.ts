// SECURITY.md: Partitioned primary
/** A verification that cannot read the store gets no verdict. */
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { sharedGateway, verifyAt } from '../support/gateway.ts';

const gateway = sharedGateway('postgresql');

it('with an unavailable store the answer is 503, never a cached VALID; verdicts resume when the store is back', async () => {
  const { secret } = await gateway.issue();
  const codeOf = async (key: string) => (await verifyAt(gateway.url, { key })).body.code;
  expect(await codeOf(secret)).toBe('VALID');
  const name = new URL(gateway.running.database.url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  for (let i = 0; i < 3; i += 1) {
    const { status, body, headers } = await verifyAt(gateway.url, { key: secret });
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
  }
  // Malformed text is rejected without the store; text in another format may be an imported key.
  const wrong = secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x');
  for (const key of ['', 'two words', wrong]) expect(await codeOf(key)).toBe('MALFORMED');
  expect(await codeOf(`${secret.slice(0, -1)}+`)).toBe('UNAVAILABLE');
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await admin.end();
  expect(await codeOf(secret)).toBe('VALID');
});
