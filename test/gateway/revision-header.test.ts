/** `Latchkey-Revision`: changes and verdicts say which state they are on, and nothing else says it. */
import { afterEach, describe, expect, it } from 'vitest';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { composeEdge, type Edge } from '../../src/service/compose/compose-edge.ts';
import { theProvider } from '../support/databases.ts';
import { listen, sharedGateway, stopListening, verifyAt } from '../support/gateway.ts';
import { both, graphql, rest, sessionToken } from '../support/service.ts';

const header = 'latchkey-revision';
const written = /^[A-Za-z0-9_-]{22}$/;

describe('a change and a verdict name their state', () => {
  const gateway = sharedGateway(theProvider);
  const edges: Edge[] = [];
  const token = () => sessionToken({ [gateway.teamId]: both });
  const manage = (method: string, path: string, body?: unknown) =>
    rest(gateway.running.url, token(), method, path, body);

  afterEach(async () => {
    for (const { gateway: port, close } of edges.splice(0)) {
      await stopListening(port);
      await close();
    }
  });

  async function startEdge(): Promise<string> {
    const edge = await composeEdge(readEdgeConfiguration({}, { upstream: [gateway.url] }), () => undefined);
    edges.push(edge);
    return await listen(edge.gateway);
  }

  it('with the same text until something changes, at the service and at an edge', async () => {
    const edge = await startEdge();
    const created = await manage('POST', '/v1/keys', { teamId: gateway.teamId, name: 'A key', env: 'live' });
    const { id, secret } = created.body;
    const named = created.headers.get(header);
    expect(named).toMatch(written);
    expect((await manage('GET', `/v1/keys/${id}`)).headers.get(header)).toBeNull();
    for (const url of [gateway.url, edge]) {
      for (let i = 0; i < 2; i += 1) expect((await verifyAt(url, { key: secret })).headers.get(header)).toBe(named);
    }
    const renamed = await manage('PATCH', `/v1/keys/${id}`, { name: 'Another' });
    expect(renamed.headers.get(header)).toMatch(written);
    expect(renamed.headers.get(header)).not.toBe(named);
    for (const url of [gateway.url, edge]) {
      const { headers } = await verifyAt(url, { key: secret });
      expect(headers.get(header)).toBe(renamed.headers.get(header));
    }
  });

  it('also in GraphQL, where the last of several changes counts, and in a second revocation', async () => {
    const { id } = await gateway.issue();
    const mutation =
      'mutation ($id: UUID!) { disableKey(id: $id) { apiKey { id } } revokeKey(id: $id) { apiKey { id } } }';
    const changed = await graphql(gateway.running.url, token(), mutation, { id });
    expect(changed.body.errors).toBeUndefined();
    const other = await gateway.issue();
    const { headers } = await verifyAt(gateway.url, { key: other.secret });
    expect(changed.headers.get(header)).toMatch(written);
    expect(headers.get(header)).not.toBe(changed.headers.get(header));
    const again = await manage('DELETE', `/v1/keys/${id}`);
    expect(again.body).toEqual({ ok: true });
    expect((await verifyAt(gateway.url, { key: other.secret })).headers.get(header)).toBe(again.headers.get(header));
  });

  it('at every endpoint that answers a verdict, except where no state was read', async () => {
    const { secret } = await gateway.issue();
    const ask = async (path: string, init: RequestInit = {}) => (await fetch(gateway.url + path, init)).headers;
    const [single, ...others] = await Promise.all([
      verifyAt(gateway.url, { key: secret }).then(({ headers }) => headers),
      verifyAt(gateway.url, [{ key: secret }, { key: secret, env: 'test' }]).then(({ headers }) => headers),
      ask('/v1/authorize', { headers: { authorization: `Bearer ${secret}` } }),
      ask('/v1/authorize?env=test', { headers: { authorization: `Bearer ${secret}` } }),
      ask('/v1/introspect', { method: 'POST', body: new URLSearchParams({ token: secret }) }),
    ]);
    expect(single?.get(header)).toMatch(written);
    expect(others.map((headers) => headers.get(header))).toEqual(others.map(() => single?.get(header)));
    expect((await verifyAt(gateway.url, { key: `${secret}x` })).headers.get(header)).toBeNull();
    // One verdict is on a state, and the other one on none.
    expect((await verifyAt(gateway.url, [{ key: secret }, { key: 'x' }])).headers.get(header)).toBeNull();
  });

  it('in what a holder gets for the revocation of the own key, also the second time', async () => {
    const { secret } = await gateway.issue();
    const revoke = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      const answer = await fetch(`${gateway.url}/v1/keys/self`, { method: 'DELETE', headers });
      expect(answer.status).toBe(200);
      return answer.headers.get(header);
    };
    const named = await revoke();
    expect(named).toMatch(written);
    expect(await revoke()).toBe(named);
    const verified = await verifyAt(gateway.url, { key: secret });
    expect([verified.body.code, verified.headers.get(header)]).toEqual(['REVOKED', named]);
  });

  it('not in what a rejected change answers', async () => {
    const { id } = await gateway.issue();
    const rejected = await manage('PATCH', `/v1/keys/${id}`, { name: '' });
    expect(rejected.status).toBe(400);
    expect(rejected.headers.get(header)).toBeNull();
  });
});
