/** A full disk under SQLite: UNAVAILABLE, nothing half written, and all of it works again the moment there is space. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { enableSigning, makeKey, teamId, token, verifyBody } from '../../support/calls.ts';
import {
  type Instance,
  killInstances,
  serviceEnvironment,
  startBuilt,
  startInstance,
  until,
} from '../../support/instance.ts';
import { graphql, rest } from '../../support/service.ts';
import { flaws, readEvidence } from '../evidence.ts';
import { noSmallDisk, type SmallDisk, smallDisk } from './small-disk.ts';

if (noSmallDisk !== null) console.warn(`test/chaos/faults/full-disk.slow.test.ts is skipped: ${noSmallDisk}`);
const test = it.skipIf(noSmallDisk !== null);

const input = { teamId, name: 'A key', env: 'live' };
let disk: SmallDisk;

afterEach(async () => {
  await killInstances();
  if (noSmallDisk === null) disk.remove();
});

async function verify({ verifyUrl }: Instance, call: unknown) {
  const { status, headers, body } = await rest(verifyUrl, null, 'POST', '/v1/verify', call);
  return { status, headers, code: body.code, text: JSON.stringify(body) };
}

test('every change is rejected as UNAVAILABLE and leaves no trace; once there is space, all of it works', async () => {
  disk = smallDisk();
  const url = `file:${join(disk.directory, 'latchkey.db')}`;
  const service = await startInstance({ DATA_DIR: disk.directory });
  const [plain, signing] = [await makeKey(service), await makeKey(service)];
  const signingSecret = await enableSigning(service, signing);
  expect((await verify(service, await verifyBody(signing, signingSecret))).code).toBe('VALID');
  const before = await readEvidence(url);

  expect(await readiness(service)).toBe(200);
  disk.fill();
  // Nobody has made a change since.
  await until('management is not ready', async () => (await readiness(service)) === 503);
  await until('the log says why', async () => /"msg":"changes cannot be written"/.test(service.output()));
  await expectRefusals(service, plain.id, signing.id);
  expect(await readEvidence(url)).toEqual(before);

  // What only reads goes on, and verification stays ready.
  const listed = await rest(service.url, token, 'GET', `/v1/keys?teamId=${teamId}`);
  expect(listed.body.map(({ id }: { id: string }) => id).sort()).toEqual([plain.id, signing.id].sort());
  const read = await graphql(service.url, token, `{ key(id: "${plain.id}") { name state } }`);
  expect(read.body).toEqual({ data: { key: { name: 'A key', state: 'ACTIVE' } } });
  expect((await rest(service.verifyUrl, null, 'GET', '/readyz')).status).toBe(200);
  for (let i = 0; i < 25; i += 1) expect((await verify(service, { key: plain.secret })).code).toBe('VALID');
  expect((await verify(service, { key: signing.secret })).code).toBe('SIGNATURE_REQUIRED');
  // A nonce that can't be recorded could be used again, so the answer is not VALID.
  const captured = await verifyBody(signing, signingSecret);
  const rejected = await verify(service, captured);
  expect([rejected.status, rejected.code, rejected.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
  expect(rejected.text).not.toMatch(/sqlite|disk|full|prisma/i);
  // The use is kept for later.
  await until('usage could not be written', async () => service.output().includes('usage could not be written'));

  disk.free();
  await until('management is ready', async () => (await readiness(service)) === 200);
  const created = await makeKey(service);
  expect((await verify(service, { key: created.secret })).code).toBe('VALID');
  expect((await verify(service, captured)).code).toBe('VALID');
  expect((await verify(service, captured)).code).toBe('SIGNATURE_REPLAYED');
  expect((await rest(service.url, token, 'PATCH', `/v1/keys/${plain.id}`, { name: 'New' })).status).toBe(200);
  expect((await rest(service.url, token, 'POST', `/v1/keys/${signing.id}/signing/rotate`)).status).toBe(200);
  expect((await rest(service.url, token, 'DELETE', `/v1/keys/${created.id}`)).body).toEqual({ ok: true });
  expect((await verify(service, { key: created.secret })).code).toBe('REVOKED');
  await until('all use has arrived', async () => (await usesOf(service, plain.id)) === 25);

  expect(await service.stop()).toBe(0);
  const after = await readEvidence(url);
  expect(flaws(after)).toEqual([]);
  expect(after.entries.slice(before.entries.length).map(({ action }) => action)).toEqual([
    'KEY_CREATED',
    'KEY_UPDATED',
    'SIGNING_ROTATED',
    'KEY_REVOKED',
  ]);
  expect(after.damage).toEqual([]);
});

const readiness = async ({ url }: Instance) => (await rest(url, null, 'GET', '/readyz')).status;

async function expectRefusals(service: Instance, id: string, signing: string): Promise<void> {
  const calls = [
    ['POST', '/v1/keys', input],
    ['PATCH', `/v1/keys/${id}`, { name: 'Other' }],
    ['DELETE', `/v1/keys/${id}`, undefined],
    ['POST', `/v1/keys/${id}/signing/enable`, undefined],
    ['POST', `/v1/keys/${signing}/signing/rotate`, undefined],
    ['POST', `/v1/keys/${signing}/signing/disable`, undefined],
  ] as const;
  // In turn and all at once, where they share a transaction.
  const answers = [];
  for (const [method, path, body] of calls) answers.push(await rest(service.url, token, method, path, body));
  const atOnce = [...calls, ...calls].map(([method, path, body]) => rest(service.url, token, method, path, body));
  for (const { status, headers, body } of [...answers, ...(await Promise.all(atOnce))]) {
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body).toMatchObject({ code: 'UNAVAILABLE', detail: 'The store does not answer; try again shortly.' });
  }
  const update = `mutation { updateKey(id: "${id}", input: {name: "Other"}) { apiKey { id } } }`;
  const { body } = await graphql(service.url, token, update);
  const message = 'The store does not answer; try again shortly.';
  expect(body.errors).toMatchObject([{ message, extensions: { code: 'UNAVAILABLE' } }]);
}

async function usesOf({ url }: Instance, id: string): Promise<number> {
  const [from, to] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const usage = `{ usage(keyId: "${id}", from: "${from}", to: "${to}") { code count } }`;
  const { body } = await graphql(url, token, usage);
  return body.data.usage.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
}

test('a start on a full or a read-only disk fails with that reason, damages nothing, and succeeds once there is space', async () => {
  disk = smallDisk('2m');
  const environment = { DATA_DIR: join(disk.directory, 'data') };
  disk.fill();
  const first = await startBuilt(serviceEnvironment(environment));
  expect(await first.exit).toBe(1);
  expect(first.output()).toBe(
    `Latchkey can't start: DATA_DIR: ${environment.DATA_DIR}/secrets.json can't be written: ENOSPC: no space left on device, write: the disk is full; free some space\n`,
  );
  disk.free();

  const service = await startInstance(environment);
  const { secret } = await makeKey(service);
  expect(await service.stop()).toBe(0);
  expect(readdirSync(environment.DATA_DIR).filter((name) => name.startsWith('secrets.json'))).toEqual(['secrets.json']);
  expect(statSync(environment.DATA_DIR).mode & 0o777).toBe(0o700);

  for (const trouble of ['full', 'read-only'] as const) {
    if (trouble === 'full') disk.fill();
    else disk.remount('ro');
    const rejected = await startBuilt(serviceEnvironment(environment));
    expect(await rejected.exit).toBe(1);
    const [problem, ...more] = rejected.output().split('\n');
    expect(problem).toMatch(
      /^Latchkey can't start: DATA_DIR: the database .*latchkey\.db can't be used: .*; is there space, and/,
    );
    expect(more).toEqual(['']);
    disk.remount('rw');
    disk.free();
  }
  const again = await startInstance(environment);
  expect((await verify(again, { key: secret })).code).toBe('VALID');
  expect(await again.stop()).toBe(0);
  expect((await readEvidence(`file:${join(environment.DATA_DIR, 'latchkey.db')}`)).damage).toEqual([]);
});
