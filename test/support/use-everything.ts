/** The life of keys over both APIs and the verification port. Throws if an answer is not as it must be. */
import { expect } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { permissions } from '../../src/domain/key/permission.ts';
import type { RunningGateway } from './gateway.ts';
import { operations } from './operations.ts';
import { graphql, rest, sessionToken } from './service.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** All that a team does with keys. Its times have days that are months too. */
export async function useEverything(gateway: RunningGateway): Promise<void> {
  const { teamId: team, url: port } = gateway;
  const { url } = gateway.running;
  const token = sessionToken({ [team]: permissions });
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await rest(url, token, method, path, body);
    expect([method, path, answer.status, answer.body]).toEqual([
      method,
      path,
      answer.status < 300 ? answer.status : 200,
      answer.body,
    ]);
    return answer.body;
  };
  const create = (name: string, more: object = {}) =>
    call('POST', '/v1/keys', { teamId: team, name, env: 'live', ...more });
  const verify = async (key: string, request?: object) =>
    (await rest(port, null, 'POST', '/v1/verify', { key, ...(request && { request }) })).body.code;
  const ask = async (document: string) => {
    const { body } = await graphql(url, token, document);
    expect([document, body.errors]).toEqual([document, undefined]);
    return body.data;
  };

  // The digits and dots of German dates, the order of American ones, accents, a backslash and quotes.
  const expiries = ['2031-02-01T03:04:05.678Z', '2030-05-06T07:08:09.012Z', null];
  const names = ["Ärger \\ 'x' \"y\" E\\'z", 'b', 'A'];
  const made = [];
  for (const [i, name] of names.entries())
    made.push(await create(name, { expiresAt: expiries[i], externalId: `customer-${i}`, tags: ['a\\b'] }));
  const [first, second, third] = made;
  for (const { secret } of made) expect(await verify(secret)).toBe('VALID');

  const page = async (orderBy: string, after: string | null) =>
    (
      await ask(`{ keys(teamId: "${team}", first: 1, after: ${JSON.stringify(after)}, orderBy: ${orderBy}) {
        nodes { id expiresAt createdAt name } pageInfo { endCursor hasNextPage } } }`)
    ).keys;
  for (const field of ['CREATED_AT', 'NAME', 'EXPIRES_AT']) {
    const paged = async (direction: string) => {
      const seen = [];
      let [after, hasNextPage] = [null, true];
      while (hasNextPage) {
        const { nodes, pageInfo } = await page(`{ field: ${field}, direction: ${direction} }`, after);
        seen.push(...nodes);
        ({ endCursor: after, hasNextPage } = pageInfo);
      }
      return seen;
    };
    const ascending = await paged('ASC');
    expect(ascending.map(({ id, expiresAt }) => [id, expiresAt]).toSorted()).toEqual(
      made.map(({ id }, i) => [id, expiries[i]]).toSorted(),
    );
    expect((await paged('DESC')).map(({ id }) => id)).toEqual(ascending.map(({ id }) => id).toReversed());
    for (const { createdAt } of ascending) expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(600_000);
  }
  const soon = `{ keys(teamId: "${team}", filter: { expiresBefore: "2030-12-31T00:00:00Z" }) { nodes { id } } }`;
  expect((await ask(soon)).keys.nodes).toEqual([{ id: second.id }]);
  const search = `{ keys(teamId: "${team}", filter: { search: "ärger \\\\" }) { nodes { id name } } }`;
  expect((await ask(search)).keys.nodes).toEqual([{ id: first.id, name: names[0] }]);

  expect(await call('PATCH', `/v1/keys/${second.id}`, { expiresAt: '2030-07-08T09:10:11.120Z' })).toMatchObject({
    expiresAt: '2030-07-08T09:10:11.120Z',
  });
  await call('POST', `/v1/keys/${second.id}/disable`, { reason: 'a reason' });
  expect(await verify(second.secret)).toBe('DISABLED');
  await call('POST', `/v1/keys/${second.id}/enable`);
  const rotated = await call('POST', `/v1/keys/${second.id}/rotate`, { overlapSeconds: 3600 });
  expect([await verify(rotated.secret), await verify(second.secret)]).toEqual(['VALID', 'VALID']);
  await call('POST', `/v1/keys/${second.id}/end-overlap`);
  expect([await verify(rotated.secret), await verify(second.secret)]).toEqual(['VALID', 'ROTATED']);

  const { signingSecret } = await call('POST', `/v1/keys/${third.id}/signing/enable`);
  const request = { method: 'GET', url: 'https://api.example.com/' };
  const signed = { ...request, headers: { ...(await signRequest(request, { keyId: third.id, signingSecret })) } };
  expect([await verify(third.secret, signed), await verify(third.secret, signed)]).toEqual([
    'VALID',
    'SIGNATURE_REPLAYED',
  ]);
  await call('POST', `/v1/keys/${third.id}/signing/rotate`, { overlapSeconds: 3600 });

  const webhook = await call('POST', '/v1/webhooks', { teamId: team, url: 'https://example.com/' });
  const access = { teamId: team, name: 'A program', permissions: ['view_team'], expiresAt: inDays(30) };
  const { id: managementKey } = await call('POST', '/v1/management-keys', access);
  const fence = await call('POST', '/v1/fences', { teamId: team, reason: 'A drill', externalId: 'nobody' });
  const target = {
    ...{ team, key: second.id, webhook: webhook.id, managementKey, trustRule: managementKey },
    ...{ fence: fence.id, revision: fence.revision },
  };
  for (const { document } of operations.filter((one) => one.document(target).startsWith('query'))) {
    if (!document(target).includes('explainVerification')) await ask(document(target));
  }
  const lastUsed = async () =>
    (await call('GET', `/v1/keys?teamId=${team}`)).map(({ lastUsedAt }: { lastUsedAt: string }) => lastUsedAt);
  await expect.poll(lastUsed).not.toContain(null);

  await call('DELETE', `/v1/keys/${first.id}`);
  expect(await verify(first.secret)).toBe('REVOKED');
  const own = await rest(port, null, 'DELETE', '/v1/keys/self', undefined, {
    authorization: `Bearer ${rotated.secret}`,
  });
  expect([own.status, await verify(rotated.secret)]).toEqual([200, 'REVOKED']);
  const { nodes } = (await ask(`{ auditLog(teamId: "${team}") { nodes { action at } } }`)).auditLog;
  expect(nodes.map(({ action }: { action: string }) => action)).toEqual([
    ...[
      'KEY_REVOKED',
      'KEY_REVOKED',
      'KEYS_FROZEN',
      'ACCESS_KEY_CREATED',
      'WEBHOOK_CREATED',
      'SIGNING_ROTATED',
      'SIGNING_ENABLED',
    ],
    'OVERLAP_ENDED',
    ...['KEY_ROTATED', 'KEY_ENABLED', 'KEY_DISABLED', 'KEY_UPDATED', 'KEY_CREATED', 'KEY_CREATED', 'KEY_CREATED'],
  ]);
  for (const { at } of nodes) expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(600_000);
}
