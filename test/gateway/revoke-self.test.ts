// SECURITY.md: Who may do what; A key; Hostile caller of the verification port
/** `DELETE /v1/keys/self`, on both databases, each with two instances on one store. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { cachedKey } from '../../src/verify/cached-key.ts';
import { theProvider } from '../support/databases.ts';
import {
  plainRules,
  type Sent,
  send,
  sharedGateway,
  sharedSecondInstance,
  startGateway,
  startPort,
  verifyAt,
} from '../support/gateway.ts';
import { plainFeedKey } from '../support/plain-keys.ts';
import { callerOf, importing, sessionToken } from '../support/service.ts';

const path = '/v1/keys/self';
const revoke = (url: string, key: string, { headers, ...sent }: Sent = {}) =>
  send(url, { method: 'DELETE', path, headers: { authorization: `Bearer ${key}`, ...headers }, ...sent });
const verdict = async (url: string, key: string) => (await verifyAt(url, { key })).body.code;

describe('at two instances', () => {
  const gateway = sharedGateway(theProvider);
  const other = sharedSecondInstance(gateway);
  const urls = () => [gateway.url, other()];
  const [here, there] = [() => gateway.url, other];

  it('a client that presents a key can revoke it, at every instance once the call is answered, and repeat the call', async () => {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { secret } = await gateway.issue();
        for (const url of urls()) expect(await verdict(url, secret)).toBe('VALID');
        const first = await revoke(here(), secret);
        expect(await Promise.all(urls().map((url) => verdict(url, secret)))).toEqual(['REVOKED', 'REVOKED']);
        const again = await Promise.all(urls().map((url) => revoke(url, secret)));
        for (const { status, body } of [first, ...again]) expect([status, body]).toEqual([200, '{"ok":true}']);
      }),
    );
  });

  it('it is audited once, as done by the key itself, with its source and the request’s id', async () => {
    const { id, secret } = await gateway.issueSigning();
    const before = Date.now();
    const answer = await revoke(there(), secret);
    await revoke(here(), secret);
    const { auditLog, keys } = gateway.management.store;
    const [entry, ...earlier] = await auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 10 });
    expect(entry).toMatchObject({
      action: 'KEY_REVOKED',
      keyId: id,
      teamId: gateway.teamId,
      actor: `key:${id}`,
      actorKind: 'KEY_HOLDER',
      source: '127.0.0.1',
      requestId: answer.headers['x-request-id'],
      changes: [
        { field: 'revokedAt', before: null },
        { field: 'signingEnabled', before: true, after: false },
      ],
    });
    expect(entry?.at.getTime()).toBeGreaterThanOrEqual(before);
    expect(earlier.map(({ action }) => action)).toEqual(['SIGNING_ENABLED', 'KEY_CREATED']);
    expect((await keys.find(id))?.signingEnvelope).toBeNull();
    expect(JSON.stringify({ ...answer, entry: { ...entry, revision: null } })).not.toContain(secret);
  });

  it('a leaked key can revoke itself even if it is expired, restricted to sources or must be signed', async () => {
    const longAgo = new Date(Date.now() - 60_000);
    const leaked = [
      await gateway.issue({ now: longAgo, expiresAt: new Date(longAgo.getTime() + 1000) }),
      await gateway.issue({ allowedIps: ['192.0.2.1'] }),
      await gateway.issueSigning(),
    ];
    const codes = await Promise.all(leaked.map(({ secret }) => verdict(here(), secret)));
    expect(codes).toEqual(['EXPIRED', 'SOURCE_NOT_ALLOWED', 'SIGNATURE_REQUIRED']);
    for (const { secret } of leaked) {
      expect((await revoke(here(), secret)).status).toBe(200);
      expect(await verdict(there(), secret)).toBe('REVOKED');
    }
  });

  it('a secret that a rotation has replaced can no longer revoke the key, and the previous one can until its overlap ends', async () => {
    const [replaced, overlapping] = [await gateway.issue(), await gateway.issue()];
    const rotate = (id: string, overlapSeconds: number) =>
      rotateKey(gateway.management, gateway.caller(), id, { overlapSeconds });
    const { secret } = await rotate(replaced.id, 0);
    await rotate(overlapping.id, 3600);
    const answer = await revoke(here(), replaced.secret);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(await verdict(there(), secret)).toBe('VALID');
    expect((await revoke(here(), overlapping.secret)).status).toBe(200);
    expect(await verdict(there(), overlapping.secret)).toBe('REVOKED');
    // Once it is revoked, the answer to a repeated call is the same for every secret.
    await revoke(here(), secret);
    expect((await revoke(there(), replaced.secret)).status).toBe(200);
  });

  it('of a secret that two teams imported, by its two digests, the key of the first one is revoked', async () => {
    const { management } = gateway;
    const secret = `old_${randomUUID()}`;
    const ids: string[] = [];
    for (const algorithm of ['sha512', 'sha256'] as const) {
      const teamId = randomUUID();
      const keys = [
        { name: 'Imported', env: 'live', digest: `${algorithm}:${hash(algorithm, secret, 'hex')}` },
      ] as const;
      const { results } = await importKeys(management, callerOf({ [teamId]: importing }), {
        teamId,
        keys,
        dryRun: false,
      });
      ids.push(results[0]?.apiKey?.id ?? '');
    }
    for (const url of urls()) expect((await revoke(url, secret)).status).toBe(200);
    const keys = await Promise.all(ids.map((id) => management.store.keys.find(id)));
    expect(keys.map((key) => key?.revokedAt != null)).toEqual([true, false]);
    for (const url of urls()) expect(await verdict(url, secret)).toBe('REVOKED');
  });

  it('text that is not a key of this service always gets the same response, which does not repeat it', async () => {
    const { secret } = await gateway.issue();
    const bodies = new Set<string>();
    const unknown = mintSecret('lk', 'live', randomBytes).secret;
    for (const key of ['nothing-of-ours', `${secret}0`, unknown, sessionToken({ [gateway.teamId]: ['manage_keys'] })]) {
      const { status, headers, body } = await revoke(here(), key);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(body).not.toContain(key.slice(8));
      bodies.add(body);
    }
    bodies.add((await send(here(), { method: 'DELETE', path })).body);
    bodies.add((await send(here(), { method: 'DELETE', path, headers: { authorization: `Basic ${secret}` } })).body);
    expect(bodies.size).toBe(1);
    expect(JSON.parse([...bodies][0] ?? '')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await verdict(here(), secret)).toBe('VALID');
  });

  it('it is revoked by DELETE alone, at this very path', async () => {
    const { secret } = await gateway.issue();
    for (const method of ['GET', 'HEAD']) expect((await revoke(here(), secret, { method })).status).toBe(200);
    for (const method of ['POST', 'PATCH', 'OPTIONS']) {
      const answer = await revoke(here(), secret, { method });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'DELETE, GET, HEAD']);
    }
    for (const elsewhere of [`${path}/`, `${path}?force=1`, '/v1/keys', `/v1/keys/${randomUUID()}`]) {
      expect((await revoke(here(), secret, { path: elsewhere })).status).toBe(404);
    }
    expect(await verdict(here(), secret)).toBe('VALID');
  });
});

it('while an instance may rely on what it confirmed, not even the repeat of a revoke is answered', async () => {
  const leased = await startGateway(theProvider);
  const { store } = leased.management;
  await store.raiseLease(150);
  const { id, secret } = await leased.issue();
  const submitted = vi.spyOn(store.changes, 'submit');
  // Management revokes the key, and its answer waits for the lease. The holder's call must wait as well.
  const revoked = leased.revoke(id);
  await expect.poll(() => verdict(leased.url, secret)).toBe('REVOKED');
  const startedAt = performance.now();
  expect((await revoke(leased.url, secret)).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(150);
  await revoked;
  // Management has answered for this key, so another repeat needs no call of it.
  submitted.mockClear();
  expect((await revoke(leased.url, secret)).status).toBe(200);
  expect(submitted).not.toHaveBeenCalled();
  await leased.stop();
});

it('its source comes from a trusted gateway, or else is the address of the connection', async () => {
  const verifier = 'a-verifier-token-for-tests';
  const sourceOf = async (environment: NodeJS.ProcessEnv, headers: NonNullable<Sent['headers']>) => {
    const gateway = await startGateway('sqlite', environment);
    const { id, secret } = await gateway.issue();
    expect((await revoke(gateway.url, secret, { headers })).status).toBe(200);
    const { auditLog } = gateway.management.store;
    const [entry] = await auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 1 });
    await gateway.stop();
    return entry?.source;
  };
  const named = { 'x-real-ip': '203.0.113.9' };
  const [behindNginx, closed] = [{ SOURCE_HEADER: 'X-Real-IP' }, { VERIFIER_TOKENS: verifier }];
  const both = { ...behindNginx, ...closed };
  for (const [environment, headers, source] of [
    [behindNginx, named, '203.0.113.9'],
    [behindNginx, { 'x-real-ip': 'nonsense\t' }, null],
    [behindNginx, {}, '127.0.0.1'],
    [{}, named, '127.0.0.1'],
    [both, { ...named, 'x-latchkey-verifier': verifier }, '203.0.113.9'],
    [both, { ...named, 'x-latchkey-verifier': 'another' }, '127.0.0.1'],
    [both, named, '127.0.0.1'],
  ] as const) {
    expect(await sourceOf(environment, headers)).toBe(source);
  }
});

const foundKey = (id: string) =>
  cachedKey({ ...plainFeedKey, id, teamId: 'team', name: 'One', env: 'live', prefix: 'p', digest: id });

const revision = 'pEBlwU0dVvV0sUuyJ1nJ7g';

/** The verification port over keys that are found by their ids, and revocations that the test ends. */
async function heldRevocations(sourceHeader: string | null = null) {
  const waiting: { readonly resolve: (revision: string | null) => void; readonly reject: (error: unknown) => void }[] =
    [];
  const { url } = await startPort({
    verifier: {
      verify: () => undefined,
      find: async (secret) => (secret === 'unknown' ? undefined : foundKey(secret)),
    },
    authorize: { ...plainRules, sourceHeader },
    revokeOwnKey: () => new Promise((resolve, reject) => void waiting.push({ resolve, reject })),
    capacity: 20,
  });
  onTestFinished(() => {
    for (const { resolve } of waiting) resolve(revision);
  });
  return { url, waiting };
}

it('eight concurrent calls are served, the ninth when one of them has ended, and a failed call reveals nothing', async () => {
  const { url, waiting } = await heldRevocations();
  const open = Array.from({ length: 8 }, (_, i) => revoke(url, `key-${i}`));
  await expect.poll(() => waiting.length).toBe(8);
  const ninth = revoke(url, 'key-8');
  expect((await revoke(url, 'unknown')).status).toBe(401);
  expect(waiting).toHaveLength(8);
  waiting[0]?.reject(new Error('the driver said something'));
  await expect.poll(() => waiting.length).toBe(9);
  for (const { resolve } of waiting.slice(1)) resolve(revision);
  expect((await ninth).status).toBe(200);
  const answers = await Promise.all(open);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 500]);
  expect(answers.some(({ body }) => body.includes('driver'))).toBe(false);
  // A call that failed is not answered from memory.
  const repeated = revoke(url, 'key-0');
  await expect.poll(() => waiting.length).toBe(10);
  waiting[9]?.resolve(revision);
  expect((await repeated).status).toBe(200);
});

it('one address has four of the eight places, the others are for other addresses, and a repeat takes none', async () => {
  const { url, waiting } = await heldRevocations('x-real-ip');
  const from = (source: string, key: string) => revoke(url, key, { headers: { 'x-real-ip': source } });
  const open = Array.from({ length: 6 }, (_, i) => from(`2001:db8::${i}`, `key-${i}`));
  await expect.poll(() => waiting.length).toBe(4);
  open.push(from('2001:db8::9', 'key-0'), from('203.0.113.9', 'key-6'));
  await expect.poll(() => waiting.length).toBe(5);
  expect((await from('203.0.113.9', 'unknown')).status).toBe(401);
  expect(waiting).toHaveLength(5);
  waiting[0]?.resolve(revision);
  await expect.poll(() => waiting.length).toBe(6);
  for (const { resolve } of waiting) resolve(revision);
  await expect.poll(() => waiting.length).toBe(7);
  waiting[6]?.resolve(revision);
  expect((await Promise.all(open)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  // The keys are revoked: from now on the call is answered without management, whoever repeats it.
  for (const source of ['2001:db8::9', '203.0.113.9']) expect((await from(source, 'key-3')).status).toBe(200);
  expect(waiting).toHaveLength(7);
});

it('a flood of repeats gets 100 answers a second, and does not delay the first call for another key', async () => {
  const { url, waiting } = await heldRevocations();
  const first = revoke(url, 'key-0');
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.resolve(revision);
  await first;
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let answered = 0;
  const repeats = Array.from({ length: 110 }, async () => {
    expect((await revoke(url, 'key-0')).status).toBe(200);
    answered += 1;
  });
  await expect.poll(() => answered).toBe(100);
  const other = revoke(url, 'key-1');
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.resolve(revision);
  expect([(await other).status, answered]).toEqual([200, 100]);
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all(repeats);
});

it('unknown keys cause no reads by management and are limited by address, as for verification; revoked keys are not', async () => {
  const gateway = await startGateway('sqlite', { UNKNOWN_KEY_LIMIT: '3', SOURCE_HEADER: 'X-Real-IP' });
  const { keys, changes } = gateway.management.store;
  const { secret } = await gateway.issue();
  const asked = [vi.spyOn(keys, 'findByDigests'), vi.spyOn(keys, 'find'), vi.spyOn(changes, 'submit')];
  const from = (source: string, key: string) => revoke(gateway.url, key, { headers: { 'x-real-ip': source } });
  const unknown = () => mintSecret('lk', 'live', randomBytes).secret;
  for (const key of ['two words', `${secret.slice(0, -1)}!`, unknown(), unknown(), unknown()]) {
    expect((await from('203.0.113.9', key)).status).toBe(401);
  }
  const { status, headers, body } = await from('203.0.113.9', unknown());
  expect([status, JSON.parse(body).code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect((await from('203.0.113.10', unknown())).status).toBe(401);
  expect(asked.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  expect(await verdict(gateway.url, secret)).toBe('VALID');
  for (const _ of [1, 2]) expect((await from('203.0.113.9', secret)).status).toBe(200);
  await gateway.stop();
});
