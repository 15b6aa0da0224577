// SECURITY.md: A tripwire
/** Keys that nobody uses: who presents one learns nothing, and its team is told. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { disableKey } from '../../src/manage/change/key-state.ts';
import { setLeakPolicy } from '../../src/manage/leaks/leak-policy.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { composeEdge } from '../../src/service/compose/compose-edge.ts';
import { theProvider } from '../support/databases.ts';
import { listen, send, sharedGateway, startGateway, stopListening, verifyAt } from '../support/gateway.ts';
import { both, callerOf, rest, sessionToken } from '../support/service.ts';

const sourceHeader = { SOURCE_HEADER: 'x-real-ip' };
const gateway = sharedGateway(theProvider, sourceHeader);
const unknown = () => mintSecret('lk', 'live', randomBytes).secret;

async function lay(at = gateway) {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both });
  const body = { teamId, name: 'A backup', env: 'live', tripwire: true };
  const created = await rest(at.running.url, token, 'POST', '/v1/keys', body);
  expect(created.body).toEqual({ ...created.body, id: expect.any(String), secret: expect.any(String) });
  expect(Object.keys(created.body)).toEqual(['id', 'name', 'env', 'prefix', 'secret']);
  const { id, secret } = created.body as { id: string; secret: string };
  const { store } = at.management;
  const tripped = async () =>
    (await store.auditLog.list({ teamId, keyId: id, limit: 50 })).flatMap(({ action, actorKind, source }) =>
      action === 'KEY_TRIPPED' ? [[actorKind, source]] : [],
    );
  return { teamId, id, secret, tripped, caller: callerOf({ [teamId]: both }) };
}

/** Everything that can be sent to the verification port with a key, with the answers as they are. */
async function answersTo(url: string, key: string) {
  const json = { 'content-type': 'application/json' };
  const bearer = { authorization: `Bearer ${key}`, 'x-real-ip': '192.0.2.9' };
  const post = (path: string, body: object) =>
    send(url, { method: 'POST', path, headers: json, body: JSON.stringify(body) });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const answers = [
    await post('/v1/verify', { key, sourceIp: '192.0.2.9' }),
    await post('/v1/verify', [{ key }] as object),
    await send(url, { path: '/v1/authorize?env=live', headers: bearer }),
    await send(url, {
      ...{ method: 'POST', path: '/v1/introspect', body: new URLSearchParams({ token: key }).toString() },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    await send(url, { path: '/v1/keys/self', headers: bearer }),
    await send(url, { method: 'DELETE', path: '/v1/keys/self', headers: bearer }),
    await post('/v1/derive', { key, scopes: [], expiresAt }),
    await post('/v1/leaks', [{ token: key, type: 'latchkey', url: 'https://git.example.com', source: 'commit' }]),
  ];
  return answers.map(({ status, headers: { date: _, 'x-request-id': __, ...headers }, body }) => ({
    ...{ status, headers },
    body: body.replace(/"(?:requestId|token_hash)":"[^"]*"/, ''),
  }));
}

describe('a presented tripwire', () => {
  it('gets what an unknown key gets, byte by byte, at every endpoint', async () => {
    const { secret } = await lay();
    const warm = await answersTo(gateway.url, secret);
    const withoutRevision = (answers: Awaited<ReturnType<typeof answersTo>>) =>
      answers.map(({ headers: { 'latchkey-revision': _, ...headers }, ...answer }) => ({ ...answer, headers }));
    expect(withoutRevision(warm)).toEqual(withoutRevision(await answersTo(gateway.url, unknown())));
    expect(warm.map(({ status }) => status)).toEqual([200, 200, 401, 200, 401, 401, 401, 200]);
    expect(warm.map(({ body }) => body).join()).not.toContain('backup');
  });

  it('is not disarmed by a report of a leak, of which its team is told', async () => {
    const { id, secret, teamId, caller } = await lay();
    const { management } = gateway;
    await setLeakPolicy(management, caller, teamId, 'REVOKE');
    await answersTo(gateway.url, secret);
    const actions = (await management.store.auditLog.list({ teamId, keyId: id, limit: 50 })).map(
      ({ action }) => action,
    );
    expect(actions).toContain('KEY_EXPOSED');
    expect(actions).not.toContain('KEY_REVOKED');
  });

  it('is counted as an unknown key of its source, for the limit of those', async () => {
    const limited = await startGateway('sqlite', { UNKNOWN_KEY_LIMIT: '3' });
    onTestFinished(limited.stop);
    const { secret } = await lay(limited as typeof gateway);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await verifyAt(limited.url, { key: secret, sourceIp: '192.0.2.1' })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('tells the team, with the source, once a minute, and counts no use', async () => {
    const { id, secret, tripped, caller } = await lay();
    for (let i = 0; i < 5; i += 1) await verifyAt(gateway.url, { key: secret, sourceIp: `192.0.2.${i}` });
    await expect.poll(tripped, { timeout: 30_000 }).toEqual([['SYSTEM', '192.0.2.0']]);
    await verifyAt(gateway.url, { key: secret });
    // Written after the trips of before, because the writer takes turns in order.
    const { store } = gateway.management;
    await store.changes.housekeep(async () => undefined);
    expect(await tripped()).toHaveLength(1);
    const { body } = await rest(
      gateway.running.url,
      sessionToken({ [caller.session.teams.keys().next().value ?? '']: both }),
      'GET',
      `/v1/keys/${id}`,
    );
    expect(body.lastUsedAt).toBeNull();
  });

  it('tells a team at most a hundred times a minute, whatever number of tripwires it has', async () => {
    const teamId = randomUUID();
    const caller = callerOf({ [teamId]: both });
    const { management } = gateway;
    const secrets = [];
    for (let i = 0; i < 103; i += 1) {
      secrets.push(
        (await createKey(management, caller, { teamId, name: 'A key', env: 'live', tripwire: true })).secret,
      );
    }
    const other = await lay();
    await Promise.all(secrets.map((key) => verifyAt(gateway.url, { key })));
    await verifyAt(gateway.url, { key: other.secret });
    await expect.poll(other.tripped, { timeout: 30_000 }).toHaveLength(1);
    const told = async () =>
      (await management.store.auditLog.list({ teamId, limit: 300 })).filter(({ action }) => action === 'KEY_TRIPPED');
    await expect.poll(async () => (await told()).length, { timeout: 30_000 }).toBe(100);
  });

  it('at an edge too, with the address of the client', async () => {
    const edge = await composeEdge(readEdgeConfiguration({}, { upstream: [gateway.url] }), () => undefined);
    const url = await listen(edge.gateway);
    onTestFinished(async () => {
      await stopListening(edge.gateway);
      await edge.close();
    });
    const { secret, tripped } = await lay();
    const answer = async (key: string) => (await verifyAt(url, { key, sourceIp: '198.51.100.7' })).body;
    // On a busy machine, the first calls of an edge can get no verdict.
    await expect.poll(() => answer(secret), { timeout: 60_000 }).toMatchObject({ code: 'NOT_FOUND' });
    const ofUnknown = () => answer(unknown());
    await expect.poll(ofUnknown, { timeout: 60_000 }).toEqual(await answer(secret));
    await expect.poll(tripped, { timeout: 60_000 }).toEqual([['SYSTEM', '198.51.100.7']]);
  }, 200_000);

  it('is only an unknown key once it is disabled or revoked', async () => {
    const [disabled, revoked, last] = [await lay(), await lay(), await lay()];
    await disableKey(gateway.management, disabled.caller, disabled.id);
    await rest(gateway.running.url, sessionToken({ [revoked.teamId]: both }), 'DELETE', `/v1/keys/${revoked.id}`);
    for (const { secret } of [disabled, revoked, last]) {
      expect((await verifyAt(gateway.url, { key: secret })).body.code).toBe('NOT_FOUND');
    }
    await expect.poll(last.tripped, { timeout: 30_000 }).toHaveLength(1);
    expect([await disabled.tripped(), await revoked.tripped()]).toEqual([[], []]);
  });

  it('is explained to its team only', async () => {
    const { teamId, secret, caller } = await lay();
    const { management } = gateway;
    const explained = await explainVerification(management, caller, { teamId, secret });
    expect(explained).toMatchObject({ code: 'NOT_FOUND' });
    expect(explained.checks[1]?.explanation).toContain('tripwire "A backup"');
    const stranger = randomUUID();
    const elsewhere = await explainVerification(management, callerOf({ [stranger]: both }), {
      ...{ teamId: stranger, secret },
    });
    expect(elsewhere.checks[1]?.explanation).not.toContain('tripwire');
  });
});
