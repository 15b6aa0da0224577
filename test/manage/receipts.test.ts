// SECURITY.md: A receipt
/** Signed statements about what took access away. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ReceiptStatement } from '../../src/domain/receipt/receipt.ts';
import { verifiedStatement } from '../../src/domain/receipt/receipt-signature.ts';
import { theProvider } from '../support/databases.ts';
import { sharedGateway, verifyAt } from '../support/gateway.ts';
import { type Answer, both, graphql, rest, sessionToken } from '../support/service.ts';

const gateway = sharedGateway(theProvider);
const administrator = [...both, 'manage_access'] as const;

function aTeam() {
  const team = randomUUID();
  const token = sessionToken({ [team]: administrator });
  const call = (method: string, path: string, body?: object) => rest(gateway.running.url, token, method, path, body);
  return {
    ...{ team, token, call },
    create: async (name = 'A key') =>
      (await call('POST', '/v1/keys', { teamId: team, name, env: 'live' })).body as { id: string; secret: string },
    receipt: async (change: Answer) => {
      const revision = change.headers.get('latchkey-revision') ?? '';
      const { status, body } = await call('GET', `/v1/receipts/${revision}`);
      return { status, body, revision, statement: body.statement as ReceiptStatement };
    },
  };
}

const publishedKeys = async () =>
  (await fetch(`${gateway.running.url}/.well-known/latchkey-receipts.json`)).json() as Promise<{ keys: object[] }>;

describe('a receipt', () => {
  it('states the revocation that its revision names, and when it was answered, under a published key', async () => {
    const { call, create, receipt, team } = aTeam();
    const { id, secret } = await create();
    await verifyAt(gateway.url, { key: secret });
    const before = Date.now();
    const change = await call('DELETE', `/v1/keys/${id}`);
    const answeredBy = Date.now();
    expect(change.body).toEqual({ ok: true });
    await expect.poll(async () => (await receipt(change)).statement.answeredAt, { timeout: 30_000 }).not.toBeNull();
    const { body, revision, statement } = await receipt(change);
    expect(verifiedStatement(body, await publishedKeys())).toEqual(statement);
    expect(statement).toMatchObject({
      ...{ version: 1, revision, action: 'KEY_REVOKED', teamId: team, requestedBy: 'tester' },
      subject: { id, name: 'A key', prefix: secret.slice(0, 16) },
      inForceSince: statement.answeredAt,
    });
    const times = [before, Date.parse(statement.requestedAt), Date.parse(statement.answeredAt ?? ''), answeredBy];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(JSON.stringify(body)).not.toContain(secret.slice(20));
  });

  it.each([
    ['KEY_DISABLED', (id: string) => ['POST', `/v1/keys/${id}/disable`]],
    ['KEY_ROTATED', (id: string) => ['POST', `/v1/keys/${id}/rotate`]],
    ['KEY_REVOKED', (id: string) => ['DELETE', `/v1/keys/${id}`]],
  ])('is there for %s', async (action, target) => {
    const { call, create, receipt } = aTeam();
    const { id } = await create();
    const [method = '', path = ''] = target(id);
    const { statement } = await receipt(await call(method, path, method === 'POST' ? {} : undefined));
    expect(statement).toMatchObject({ action, subject: { id } });
  });

  it('is there for a reported leak, by its entry in the audit trail', async () => {
    const { team, token, call, create } = aTeam();
    const { id, secret } = await create();
    const match = { token: secret, type: 'latchkey', url: 'https://git.example.com/shop', source: 'commit' };
    expect((await rest(gateway.url, null, 'POST', '/v1/leaks', [match])).status).toBe(200);
    const trail = 'query ($team: UUID!) { auditLog(teamId: $team, first: 1) { nodes { id action } } }';
    const { data } = (await graphql(gateway.running.url, token, trail, { team })).body;
    const [{ id: entry, action }] = data.auditLog.nodes;
    const { statement } = (await call('GET', `/v1/receipts/${entry}`)).body;
    expect([action, statement]).toEqual(['KEY_EXPOSED', expect.objectContaining({ action })]);
    expect(statement.subject.id).toBe(id);
  });

  it('is there for the end of an overlap, a freeze, and the revocation of a management key', async () => {
    const { call, create, receipt, team } = aTeam();
    const { id } = await create();
    await call('POST', `/v1/keys/${id}/rotate`, { overlapSeconds: 600 });
    const ended = await receipt(await call('POST', `/v1/keys/${id}/end-overlap`));
    expect(ended.statement).toMatchObject({ action: 'OVERLAP_ENDED', subject: { id } });
    const frozen = await call('POST', '/v1/fences', { teamId: team, reason: 'A drill' });
    expect((await receipt(frozen)).statement).toMatchObject({
      ...{ action: 'KEYS_FROZEN', lastUse: null },
      subject: { id: frozen.body.id, name: 'A drill', prefix: null },
    });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const made = await call('POST', '/v1/management-keys', {
      ...{ teamId: team, name: 'Billing', permissions: ['view_team'], expiresAt },
    });
    const revoked = await receipt(await call('DELETE', `/v1/management-keys/${made.body.id}`));
    expect(revoked.statement).toMatchObject({
      ...{ action: 'ACCESS_KEY_REVOKED', lastUse: null },
      subject: { id: made.body.id, name: 'Billing', prefix: made.body.prefix },
    });
  });

  it('names the verifiers of the last hour, and is complete once each has confirmed the state or was silent', async () => {
    const { call, create, receipt } = aTeam();
    const { id, secret } = await create();
    const { receipts } = gateway.management.store;
    const heard = async (name: string, secondsAgo: number, revision = 1) => {
      const at = new Date(Date.now() - secondsAgo * 1000);
      await receipts.addVerifiers([{ id: name, kind: 'EDGE', revision, confirmedAt: at, seenAt: at }]);
    };
    await heard('long gone', 4000);
    await heard('silent', 600);
    await heard('just now', -5);
    const change = await call('DELETE', `/v1/keys/${id}`);
    const first = (await receipt(change)).statement;
    const stateOf = (statement: ReceiptStatement) =>
      Object.fromEntries(statement.verifiers.flatMap((one) => (one.kind === 'EDGE' ? [[one.id, one.state]] : [])));
    expect(stateOf(first)).toEqual({ silent: 'SILENT', 'just now': 'SILENT' });
    expect(first.complete).toBe(false);
    await heard('just now', 0, 1_000_000);
    // The instance itself reports with the use that it counts.
    await verifyAt(gateway.url, { key: secret });
    await expect.poll(async () => (await receipt(change)).statement.complete, { timeout: 30_000 }).toBe(true);
    expect(stateOf((await receipt(change)).statement)).toEqual({ silent: 'SILENT', 'just now': 'CONFIRMED' });
  });

  it('names the edges of an instance that itself verifies nothing, and believes no state that was not there yet', async () => {
    const { call, create, receipt } = aTeam();
    const { id, secret } = await create();
    const ask = async (edge: string, cursor: string | null) => {
      const body = JSON.stringify({ edge, cursor, keys: [secret] });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${gateway.url}/v1/feed`, { method: 'POST', headers, body });
      return ((await response.json()) as { readonly cursor: string }).cursor;
    };
    const [honest, liar] = [randomUUID(), randomUUID()];
    const cursor = await ask(honest, null);
    await ask(liar, cursor.replace(/\d+$/, '999999999'));
    const change = await call('DELETE', `/v1/keys/${id}`);
    const states = async () => {
      const { verifiers } = (await receipt(change)).statement;
      return [honest, liar].map((edge) => verifiers.find((one) => one.id === edge)?.state);
    };
    await expect.poll(states, { timeout: 30_000 }).toEqual(['SILENT', 'SILENT']);
    await ask(honest, await ask(honest, cursor));
    await expect.poll(states, { timeout: 30_000 }).toEqual(['CONFIRMED', 'SILENT']);
    const { verifiers } = (await receipt(change)).statement;
    expect(verifiers.some(({ kind, state }) => kind === 'INSTANCE' && state === 'CONFIRMED')).toBe(true);
  });

  it('of another team, or of a change that takes nothing away, is not there', async () => {
    const { call, create, team, receipt } = aTeam();
    const { id } = await create();
    const revision = (await call('DELETE', `/v1/keys/${id}`)).headers.get('latchkey-revision') ?? '';
    const path = `/v1/receipts/${revision}`;
    const status = async (token: string, of = path) => {
      const { body } = await rest(gateway.running.url, token, 'GET', of);
      return body.code ?? 'found';
    };
    expect(await status(sessionToken({ [team]: ['view_team'] }))).toBe('found');
    expect(await status(sessionToken({ [team]: ['manage_keys'] }))).toBe('FORBIDDEN');
    expect(await status(sessionToken({ [randomUUID()]: both }))).toBe('RECEIPT_NOT_FOUND');
    for (const wrong of ['x', 'A'.repeat(22), '1', '%00']) {
      expect(await status(sessionToken({ [team]: both }), `/v1/receipts/${wrong}`)).toBe('RECEIPT_NOT_FOUND');
    }
    const created = await call('POST', '/v1/keys', { teamId: team, name: 'Another', env: 'live' });
    expect((await receipt(created)).body.code).toBe('RECEIPT_NOT_FOUND');
  });

  it('is also a page for people, in which the name of a key is text', async () => {
    const { call, create, token } = aTeam();
    const { id } = await create('<script>alert(1)</script>');
    const revision = (await call('DELETE', `/v1/keys/${id}`)).headers.get('latchkey-revision');
    const headers = { authorization: `Bearer ${token}`, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const response = await fetch(`${gateway.running.url}/v1/receipts/${revision}`, { headers });
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await response.text();
    expect(page).toContain(revision);
    expect(page).not.toContain('<script');
  });

  it('that was changed in any part, or signed by somebody else, is not verified', async () => {
    const { call, create, receipt } = aTeam();
    const { id } = await create();
    const { body } = await receipt(await call('DELETE', `/v1/keys/${id}`));
    const { payload, protected: header, signature } = body as Record<string, string>;
    const keys = await publishedKeys();
    const forgedPayload = Buffer.from(JSON.stringify({ ...body.statement, action: 'KEY_DISABLED' })).toString(
      'base64url',
    );
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: keys.keys[0] })).toString('base64url');
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const forged: [unknown, unknown][] = [
      [{ payload: forgedPayload, protected: header, signature }, keys],
      [{ payload, protected: none, signature }, keys],
      [{ payload, protected: none, signature: '' }, keys],
      [{ payload, protected: header, signature: signature?.replace(/^../, 'AA') }, keys],
      [{ payload, protected: header }, keys],
      [body, { keys: [] }],
      [body, { keys: keys.keys.map((key) => ({ ...key, x: other.x })) }],
      [body, { keys: keys.keys.map((key) => ({ ...key, x: 'short' })) }],
      [null, keys],
      [body, null],
    ];
    for (const [given, known] of forged) expect(verifiedStatement(given, known)).toBeNull();
    expect(verifiedStatement(body, keys)).toEqual(body.statement);
  });
});
