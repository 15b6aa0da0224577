/** A clock that is set, back and forward by an hour: the service starts, and what has an order or an end keeps it. */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { afterEach, describe, expect, it } from 'vitest';
import { signRequest } from '../../../src/client/sign.ts';
import type { MadeKey } from '../../support/calls.ts';
import { providers, temporaryDatabase } from '../../support/databases.ts';
import { type Instance, killInstances, startInstance, until } from '../../support/instance.ts';
import { both, graphql, jwtSecret, rest } from '../../support/service.ts';
import type { TemporaryDatabase } from '../../support/temporary-database.ts';
import { noSetClock, type SetClock, setClock } from './set-clock.ts';

if (noSetClock !== null) console.warn(`test/chaos/faults/clock.slow.test.ts is skipped: ${noSetClock}`);

const hour = 3600;
const team = randomUUID();
/** The clocks are set to seconds after this time. */
const noon = Math.floor(Date.now() / 1000);
const at = (seconds: number) => new Date((noon + seconds) * 1000);

let database: TemporaryDatabase;
const clocks: SetClock[] = [];

afterEach(async () => {
  await killInstances();
  for (const clock of clocks.splice(0)) clock.remove();
});

interface ClockedInstance {
  readonly running: Instance;
  readonly set: (seconds: number) => void;
  /** What its clock says. */
  readonly seconds: () => number;
}

async function start(seconds: number, own: NodeJS.ProcessEnv = {}, workers = 1): Promise<ClockedInstance> {
  const clock = setClock(at(seconds));
  clocks.push(clock);
  let now = seconds;
  const environment = { DATABASE_URL: database.url, DATA_DIR: database.directory, ...clock.environment, ...own };
  const running = await startInstance(environment, workers);
  return {
    running,
    seconds: () => now,
    set: (to) => {
      clock.set(at(to));
      now = to;
    },
  };
}

/** Issued at the given moment, or now by the instance's clock. */
function token({ seconds }: ClockedInstance, claims: { iat?: number; nbf?: number; exp?: number } = {}): string {
  const { iat = seconds(), nbf = iat, exp = iat + hour } = claims;
  const inSeconds = { iat: noon + iat, nbf: noon + nbf, exp: noon + exp };
  return jwt.sign({ sub: 'tester', teams: { [team]: both }, ...inSeconds }, jwtSecret);
}

async function issue(instance: ClockedInstance, expiresAt?: Date): Promise<MadeKey> {
  const input = { teamId: team, name: 'A key', env: 'live', expiresAt };
  const { status, body } = await rest(instance.running.url, token(instance), 'POST', '/v1/keys', input);
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
}

async function rename(instance: ClockedInstance, id: string): Promise<void> {
  const name = `At ${instance.seconds()}`;
  const { status } = await rest(instance.running.url, token(instance), 'PATCH', `/v1/keys/${id}`, { name });
  expect(status).toBe(200);
}

interface Page<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** All of a list in pages of two, with the clock set to another hour before each. */
async function leafThrough<T>(instance: ClockedInstance, list: string, fields: string): Promise<T[]> {
  const all: T[] = [];
  let after: string | null = null;
  for (let page = 0; ; page += 1) {
    instance.set([0, hour, -hour][page % 3] ?? 0);
    const query = `query ($team: UUID!, $after: String) {
      ${list}(teamId: $team, first: 2, after: $after) { edges { cursor node { ${fields} } } pageInfo { hasNextPage } }
    }`;
    const { body } = await graphql(instance.running.url, token(instance), query, { team, after });
    const { edges, pageInfo }: Page<T> = body.data[list];
    all.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage) return all;
    after = edges.at(-1)?.cursor ?? null;
  }
}

interface Entry {
  readonly action: string;
  readonly keyId: string;
  readonly at: string;
}

const code = async ({ running }: ClockedInstance, body: unknown) =>
  (await rest(running.verifyUrl, null, 'POST', '/v1/verify', body)).body.code;

describe.skipIf(noSetClock !== null).each(providers)('on %s', (provider) => {
  it('started an hour before its data, it keeps the order of entries and every end while the clock jumps', async () => {
    database = await temporaryDatabase(provider);
    const changes: string[] = [];
    const created: string[] = [];
    const create = async (instance: ClockedInstance) => {
      const { id } = await issue(instance);
      created.push(id);
      changes.push(`KEY_CREATED ${id} ${at(instance.seconds()).toISOString()}`);
    };
    // An hour ahead when the database is made, and an hour behind when it starts on it again.
    const ahead = await start(hour);
    await create(ahead);
    expect(await ahead.running.stop()).toBe(0);
    const instance = await start(-hour);
    for (const seconds of [-hour, 0, hour, -hour, hour / 2, 0]) {
      instance.set(seconds);
      await create(instance);
      const [first = ''] = created;
      await rename(instance, first);
      changes.push(`KEY_UPDATED ${first} ${at(seconds).toISOString()}`);
    }
    const trail = await leafThrough<Entry>(instance, 'auditLog', 'action keyId at');
    expect(trail.map((entry) => `${entry.action} ${entry.keyId} ${entry.at}`)).toEqual(changes.reverse());

    const listed = await leafThrough<{ id: string; createdAt: string }>(instance, 'keys', 'id createdAt');
    expect(listed.map(({ id }) => id).sort()).toEqual([...created].sort());
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());

    // Expiry, session tokens and signatures go by the clock as it is; a signature is good once, wherever it jumps.
    instance.set(0);
    await expectExpiryByTheClock(instance);
    instance.set(0);
    await expectOverlapByTheClock(instance);
    await expectTokensByTheClock(instance);
    instance.set(0);
    const { id, secret } = await issue(instance);
    const { body } = await rest(instance.running.url, token(instance), 'POST', `/v1/keys/${id}/signing/enable`);
    const sign: Sign = (created) => {
      const request = { method: 'GET', url: 'https://api.example.com/orders' };
      const options = { keyId: id, signingSecret: body.signingSecret, now: at(created), expiresInSeconds: 300 };
      return { key: secret, request: { ...request, headers: signRequest(request, options) } };
    };
    await expectNoReplay(instance, sign);
    expect(await instance.running.stop()).toBe(0);
  });
});

async function expectExpiryByTheClock(instance: ClockedInstance): Promise<void> {
  const { id, secret } = await issue(instance, at(600));
  const state = async () => {
    const { body } = await graphql(instance.running.url, token(instance), `{ key(id: "${id}") { state lastUsedAt } }`);
    return body.data.key;
  };
  expect(await code(instance, { key: secret })).toBe('VALID');
  instance.set(600);
  expect(await code(instance, { key: secret })).toBe('VALID');
  await until('its last use is known', async () => (await state()).lastUsedAt === at(600).toISOString());
  for (const seconds of [601, hour]) {
    instance.set(seconds);
    expect(await code(instance, { key: secret })).toBe('EXPIRED');
    expect((await state()).state).toBe('EXPIRED');
  }
  instance.set(-hour);
  expect(await code(instance, { key: secret })).toBe('VALID');
  // All of it is counted, and the latest use by any clock stays the last one.
  const query = `{ usage(keyId: "${id}", from: "${at(-3 * hour).toISOString()}", to: "${at(3 * hour).toISOString()}") { count } }`;
  await until('all use is counted', async () => {
    const { body } = await graphql(instance.running.url, token(instance), query);
    return body.data.usage.reduce((sum: number, { count }: { count: number }) => sum + count, 0) === 5;
  });
  expect(await state()).toEqual({ state: 'ACTIVE', lastUsedAt: at(600).toISOString() });
}

async function expectOverlapByTheClock(instance: ClockedInstance): Promise<void> {
  const { id, secret: previous } = await issue(instance);
  const change = async (action: string, input?: object) =>
    (await rest(instance.running.url, token(instance), 'POST', `/v1/keys/${id}/${action}`, input)).body;
  const { secret } = await change('rotate', { overlapSeconds: 600 });
  const codes = async () => [await code(instance, { key: previous }), await code(instance, { key: secret })];
  for (const seconds of [0, 600, -hour]) {
    instance.set(seconds);
    expect(await codes()).toEqual(['VALID', 'VALID']);
  }
  for (const seconds of [601, hour]) {
    instance.set(seconds);
    expect(await codes()).toEqual(['ROTATED', 'VALID']);
  }
  // An overlap that was ended stays so, also by a clock that says that it had not begun.
  await change('end-overlap');
  for (const seconds of [0, -hour]) {
    instance.set(seconds);
    expect(await codes()).toEqual(['ROTATED', 'VALID']);
  }
}

async function expectTokensByTheClock(instance: ClockedInstance): Promise<void> {
  const issuedAtNoon = token(instance, { iat: 0, nbf: -hour });
  const answers: unknown[] = [];
  for (const seconds of [-hour, 0, 2 * hour]) {
    instance.set(seconds);
    const { status, body } = await rest(instance.running.url, issuedAtNoon, 'GET', `/v1/keys?teamId=${team}`);
    answers.push(status === 200 ? status : body.detail);
  }
  const problems = ['The session token was issued in the future.', 'The session token has expired.'] as const;
  expect(answers).toEqual([problems[0], 200, problems[1]]);
}

type Sign = (created: number) => unknown;

async function expectNoReplay(instance: ClockedInstance, sign: Sign): Promise<void> {
  const [old, fresh] = [sign(-200), sign(0)];
  instance.set(0);
  expect([await code(instance, old), await code(instance, fresh)]).toEqual(['VALID', 'VALID']);
  instance.set(-100);
  expect(await code(instance, old)).toBe('SIGNATURE_REPLAYED');
  // Others are used while the clock is wrong, whose nonces must not take the place of these.
  for (const clock of [hour, -hour]) {
    instance.set(clock);
    expect(await code(instance, fresh)).toBe(clock > 0 ? 'SIGNATURE_EXPIRED' : 'SIGNATURE_INVALID');
    for (let later = 0; later < 1000; later += 200) {
      instance.set(clock + later);
      expect(await code(instance, sign(clock + later))).toBe('VALID');
    }
    instance.set(50);
    expect([await code(instance, old), await code(instance, fresh)]).toEqual([
      'SIGNATURE_REPLAYED',
      'SIGNATURE_REPLAYED',
    ]);
  }
}

it.skipIf(noSetClock !== null)(
  'two instances whose clocks are an hour apart agree on verdicts and on the order of the audit trail',
  async () => {
    database = await temporaryDatabase('postgresql');
    const right = await start(0);
    const ahead = await start(hour);
    const { id, secret } = await issue(right);
    const changes: string[] = [`KEY_CREATED ${at(0).toISOString()}`];
    for (const instance of [ahead, right, ahead, right]) {
      await rename(instance, id);
      changes.push(`KEY_UPDATED ${at(instance.seconds()).toISOString()}`);
    }
    const { body } = await rest(right.running.url, token(right), 'POST', `/v1/keys/${id}/signing/enable`);
    changes.push(`SIGNING_ENABLED ${at(0).toISOString()}`);
    const request = { method: 'GET', url: 'https://api.example.com/orders' };
    const options = { keyId: id, signingSecret: body.signingSecret, now: at(0) };
    const signed = { key: secret, request: { ...request, headers: signRequest(request, options) } };
    expect(await code(ahead, signed)).toBe('SIGNATURE_EXPIRED');
    expect(await code(right, signed)).toBe('VALID');
    expect(await code(right, signed)).toBe('SIGNATURE_REPLAYED');
    ahead.set(0);
    expect(await code(ahead, signed)).toBe('SIGNATURE_REPLAYED');
    ahead.set(hour);

    // In force at the other instance when it is answered, though it is of an hour later there.
    expect((await rest(ahead.running.url, token(ahead), 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
    changes.push(`KEY_REVOKED ${at(hour).toISOString()}`);
    expect(await code(right, { key: secret })).toBe('REVOKED');
    const trail = await leafThrough<Entry>(right, 'auditLog', 'action at');
    expect(trail.map((entry) => `${entry.action} ${entry.at}`)).toEqual(changes.reverse());
  },
);

/** The clock on the wall stands between these moments, so a lease that was counted by it would never end. */
it.skipIf(noSetClock !== null)(
  'with a lease, no verdict is VALID after a revoke was answered, while the clock stands or jumps by an hour',
  async () => {
    database = await temporaryDatabase('postgresql');
    const instance = await start(0, { VERIFY_LEASE_MS: '200' }, 2);
    // Both processes decide. On a busy machine, some verifications can get no verdict.
    const verify = async (key: string) => {
      const codes = await Promise.all(Array.from({ length: 16 }, () => code(instance, { key })));
      return new Set(codes.filter((one) => one !== 'UNAVAILABLE'));
    };
    for (const seconds of [0, hour, -hour, 0]) {
      const { id, secret } = await issue(instance);
      expect(await verify(secret)).toEqual(new Set(['VALID']));
      // Good by each of these clocks.
      const session = token(instance, { iat: -hour, exp: 2 * hour });
      const revoked = rest(instance.running.url, session, 'DELETE', `/v1/keys/${id}`);
      instance.set(seconds);
      // Both processes renew their leases meanwhile.
      await verify(secret);
      expect((await revoked).status).toBe(200);
      expect(await verify(secret)).toEqual(new Set(['REVOKED']));
    }
  },
);
