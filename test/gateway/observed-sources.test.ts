// SECURITY.md: Addresses of clients
/** From where each secret of a key is used, as one asks before ending an overlap or writing an allow-list. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { providers } from '../support/databases.ts';
import {
  type IssuedKey,
  listen,
  type RunningGateway,
  startGateway,
  stopListening,
  verifyAt,
} from '../support/gateway.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { both, callerOf, graphql, secondInstance, sessionToken } from '../support/service.ts';

const sources = `query ($keyId: UUID!) {
  observedSources(keyId: $keyId) { address secret firstAt lastAt counts { code count } }
}`;
const preview = `query ($keyId: UUID!, $allowedIps: [String!]!) {
  previewAllowedIps(keyId: $keyId, allowedIps: $allowedIps) {
    accepted { address } rejected { address } unlisted { secret counts { code count } }
  }
}`;
const unlisted = `query ($keyId: UUID!) { unlistedSources(keyId: $keyId) { secret counts { code count } } }`;
const secrets = `query ($keyId: UUID!, $from: DateTime!, $to: DateTime!) {
  key(id: $keyId) { lastUsedAt secrets { current prefix expiresAt lastUsedAt } }
  both: usage(keyId: $keyId, from: $from, to: $to) { code count }
  current: usage(keyId: $keyId, from: $from, to: $to, secret: CURRENT) { code count }
  previous: usage(keyId: $keyId, from: $from, to: $to, secret: PREVIOUS) { code count }
}`;

async function codeOf(url: string | undefined, key: string, more: object = {}): Promise<string> {
  return (await verifyAt(url ?? '', { key, ...more })).body.code;
}

interface Count {
  readonly code: string;
  readonly count: number;
}

/** Over all hours: one may end during a test. */
function totals(use: readonly Count[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { code, count } of use) sums[code] = (sums[code] ?? 0) + count;
  return sums;
}

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let names: NameServer;
  /** It was presented from three addresses. */
  let key: IssuedKey;
  beforeAll(async () => {
    names = await startNameServer({ 'gate.example': ['203.0.113.7'] });
    gateway = await startGateway(provider, { DNS_SERVERS: names.address });
    key = await gateway.issue();
    await onInstances(1, async ([url]) => {
      for (const sourceIp of ['192.0.2.1', '203.0.113.7', '2001:db8::1']) await codeOf(url, key.secret, { sourceIp });
    });
  });
  afterAll(async () => {
    await gateway.stop();
    names.stop();
  });

  const viewer = () => sessionToken({ [gateway.teamId]: ['view_team'] });
  const ask = async (query: string, variables: Record<string, unknown>, session = viewer()) =>
    (await graphql(gateway.running.url, session, query, variables)).body;
  /** Runs the verifications on other instances, which write what they have counted when they stop. */
  async function onInstances(count: number, run: (urls: readonly string[]) => Promise<unknown>): Promise<void> {
    const instances = await Promise.all(Array.from({ length: count }, () => secondInstance(gateway.running)));
    await run(await Promise.all(instances.map(({ gateway: port }) => listen(port))));
    for (const instance of instances) {
      await stopListening(instance.gateway);
      await instance.close();
    }
  }
  const management = () => gateway.management;
  const caller = () => gateway.caller();
  const sourcesOf = async (keyId: string) => (await ask(sources, { keyId })).data.observedSources;

  it('says by day how an address used a key, which addresses are new, and which keys of the team an address touched', async () => {
    const [used, other] = [await gateway.issue(), await gateway.issue()];
    const [known, added] = ['198.51.100.7', '2001:db8::beef'];
    await onInstances(1, async ([url]) => {
      await codeOf(url, used.secret, { sourceIp: known });
      await codeOf(url, used.secret, { sourceIp: known, env: 'test' });
      await codeOf(url, other.secret, { sourceIp: known });
    });
    const since = new Date().toISOString();
    await onInstances(1, async ([url]) => {
      await codeOf(url, used.secret, { sourceIp: known });
      await codeOf(url, used.secret, { sourceIp: added });
    });
    const days = '{ address acceptedByDay rejectedByDay }';
    const list = `query ($id: UUID!, $since: DateTime) { observedSources(keyId: $id, since: $since) ${days} }`;
    const { observedSources: all } = (await ask(list, { id: used.id })).data;
    // The test may run over midnight.
    const sums = all.map(({ address, acceptedByDay, rejectedByDay }: Record<string, number[]>) => [
      address,
      ...[acceptedByDay, rejectedByDay].map((counts = []) => [counts.length, counts.reduce((sum, one) => sum + one)]),
    ]);
    expect(sums).toHaveLength(2);
    expect(sums).toEqual(
      expect.arrayContaining([
        [known, [31, 2], [31, 1]],
        [added, [31, 1], [31, 0]],
      ]),
    );
    expect((await ask(list, { id: used.id, since })).data.observedSources).toMatchObject([{ address: added }]);

    const activity = `query ($teamId: UUID!, $address: String!) { addressActivity(teamId: $teamId, address: $address) {
      apiKey { id } accepted rejected firstAt lastAt } }`;
    const { teamId } = gateway;
    const touched = (await ask(activity, { teamId, address: known })).data.addressActivity;
    expect(touched).toMatchObject([
      { apiKey: { id: used.id }, accepted: 2, rejected: 1 },
      { apiKey: { id: other.id }, accepted: 1, rejected: 0 },
    ]);
    expect(Date.parse(touched[0].firstAt)).toBeLessThan(Date.parse(since));
    expect(Date.parse(touched[0].lastAt)).toBeGreaterThanOrEqual(Date.parse(since));
    // Another text of the same address.
    expect((await ask(activity, { teamId, address: ' 2001:DB8:0::BEEF' })).data.addressActivity).toHaveLength(1);
    expect((await ask(activity, { teamId, address: 'x' })).errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ field: 'address' }],
    });
    // Another team learns nothing of the address.
    const foreign = randomUUID();
    const session = sessionToken({ [foreign]: ['view_team'] });
    expect((await ask(activity, { teamId: foreign, address: known }, session)).data.addressActivity).toEqual([]);
    expect((await ask(activity, { teamId, address: known }, session)).errors[0].extensions.code).toBe('FORBIDDEN');
  });

  it('counts what two instances see of each secret, address and verdict', async () => {
    const { id, secret } = await gateway.issue();
    const startedAt = Date.now();
    await onInstances(2, async (urls) => {
      for (const url of urls) {
        for (let i = 0; i < 3; i += 1) await codeOf(url, secret, { sourceIp: '192.0.2.1' });
        await codeOf(url, secret, { sourceIp: '::ffff:192.0.2.1', env: 'test' });
        await codeOf(url, secret, { sourceIp: '2001:DB8::1' });
        await codeOf(url, secret);
      }
      const rotated = await rotateKey(management(), caller(), id, { overlapSeconds: 60 });
      for (const url of urls) await codeOf(url, rotated.secret, { sourceIp: '192.0.2.1' });
      await rotateKey(management(), caller(), id);
      expect(await codeOf(urls[1], secret, { sourceIp: '192.0.2.9' })).toBe('ROTATED');
    });
    const list: { address: string; secret: string; firstAt: string; lastAt: string; counts: Count[] }[] =
      await sourcesOf(id);
    const [latest] = list;
    expect(latest).toMatchObject({ address: '192.0.2.9', secret: 'EARLIER', counts: [{ code: 'ROTATED', count: 1 }] });
    const found = list.map(({ address, secret, counts }) => [`${secret} ${address}`, totals(counts)]);
    expect(Object.fromEntries(found)).toEqual({
      'EARLIER 192.0.2.1': { VALID: 6, WRONG_ENVIRONMENT: 2 },
      'EARLIER 192.0.2.9': { ROTATED: 1 },
      'EARLIER 2001:db8::1': { VALID: 2 },
      'PREVIOUS 192.0.2.1': { VALID: 2 },
    });
    for (const { firstAt, lastAt } of list) {
      expect(Date.parse(firstAt)).toBeGreaterThanOrEqual(startedAt);
      expect(Date.parse(lastAt)).toBeGreaterThanOrEqual(Date.parse(firstAt));
    }
  });

  it('records nothing of a text that is not a key, of an unknown key, or of an unknown source', async () => {
    const { id, secret } = await gateway.issue();
    const found: unknown[] = [];
    const { secret: unknown } = mintSecret('lk', 'live', randomBytes);
    await onInstances(1, async ([url]) => {
      expect(await codeOf(url, 'not a key', { sourceIp: '198.51.100.1' })).toBe('MALFORMED');
      expect(await codeOf(url, unknown, { sourceIp: '198.51.100.1' })).toBe('NOT_FOUND');
      expect(await codeOf(url, secret)).toBe('VALID');
    });
    await management().store.changes.housekeep(async (transaction) => {
      found.push(...(await transaction.observedSource.findMany({ where: { address: '198.51.100.1' } })));
    });
    expect(found).toEqual([]);
    expect(await management().store.observedSources.list(id, 1)).toEqual({ listed: [], unlisted: [] });
  });

  it('the last use and the counts of each secret show during an overlap whether the previous one is still in use', async () => {
    const { id, secret } = await gateway.issue();
    const [from, to] = [new Date(Date.now() - 7_200_000), new Date(Date.now() + 7_200_000)];
    const read = async () => (await ask(secrets, { keyId: id, from, to })).data;
    const unused = await read();
    expect(unused.key.secrets).toEqual([
      { current: true, prefix: expect.any(String), expiresAt: null, lastUsedAt: null },
    ]);
    expect(unused.previous).toEqual([]);
    const { prefix } = unused.key.secrets[0];

    await onInstances(1, ([url]) => codeOf(url, secret));
    const first = await read();
    expect(first.key.secrets[0].lastUsedAt).toBe(first.key.lastUsedAt);
    expect(first.key.lastUsedAt).not.toBeNull();
    const rotated = await rotateKey(management(), caller(), id, { overlapSeconds: 3600 });
    const after = await read();
    expect(after.key.secrets).toEqual([
      { current: true, prefix: rotated.apiKey.prefix, expiresAt: null, lastUsedAt: null },
      {
        current: false,
        prefix,
        expiresAt: rotated.apiKey.previousExpiresAt?.toISOString(),
        lastUsedAt: first.key.lastUsedAt,
      },
    ]);

    await onInstances(1, ([url]) => codeOf(url, rotated.secret));
    const used = await read();
    expect(used.key.secrets[0].lastUsedAt > first.key.lastUsedAt).toBe(true);
    expect(used.key.secrets[1].lastUsedAt).toBe(first.key.lastUsedAt);
    await onInstances(1, async ([url]) => {
      await codeOf(url, secret);
      await codeOf(url, secret, { env: 'test' });
    });
    const both = await read();
    expect(both.key.secrets[0].lastUsedAt).toBe(used.key.secrets[0].lastUsedAt);
    expect(both.key.secrets[1].lastUsedAt).toBe(both.key.lastUsedAt);
    expect(both.key.lastUsedAt > used.key.secrets[0].lastUsedAt).toBe(true);
    expect(totals(both.current)).toEqual({ VALID: 1 });
    expect(totals(both.previous)).toEqual({ VALID: 2, WRONG_ENVIRONMENT: 1 });
  });

  it('use of the first secret that is written only after the rotation still counts for it', async () => {
    const { id, secret } = await gateway.issue();
    await onInstances(1, async ([url]) => {
      await codeOf(url, secret);
      const rotated = await rotateKey(management(), caller(), id, { overlapSeconds: 3600 });
      await codeOf(url, rotated.secret);
    });
    const [current, previous] = (await ask(`{ key(id: "${id}") { secrets { lastUsedAt } } }`, {})).data.key.secrets;
    expect(previous.lastUsedAt).not.toBeNull();
    expect(current.lastUsedAt > previous.lastUsedAt).toBe(true);
  });

  it('a page of keys has the secrets of each', async () => {
    const teamId = randomUUID();
    const session = callerOf({ [teamId]: both });
    for (const name of ['a', 'b', 'c']) {
      const { apiKey } = await createKey(management(), session, { teamId, name, env: 'live' });
      if (name !== 'b') await rotateKey(management(), session, apiKey.id);
    }
    const query = `{ keys(teamId: "${teamId}", orderBy: { field: NAME, direction: ASC }) { nodes { secrets { current } } } }`;
    const { nodes } = (await ask(query, {}, sessionToken({ [teamId]: ['view_team'] }))).data.keys;
    expect(nodes.map((node: { secrets: unknown[] }) => node.secrets.length)).toEqual([2, 1, 2]);
  });

  describe('the preview of an allow-list', () => {
    const previewOf = (allowedIps: readonly string[]) => ask(preview, { keyId: key.id, allowedIps });

    it.each([
      [[], ['192.0.2.1', '2001:db8::1', '203.0.113.7']],
      [['192.0.2.0/24 # the office'], ['192.0.2.1']],
      [
        ['2001:db8::/32', 'gate.example'],
        ['2001:db8::1', '203.0.113.7'],
      ],
      [
        ['absent.example', '0.0.0.0/0'],
        ['192.0.2.1', '203.0.113.7'],
      ],
      [['10.0.0.1'], []],
    ])('%j accepts %j and rejects the others, as a verification does', async (allowedIps, expected) => {
      const { accepted, rejected } = (await previewOf(allowedIps)).data.previewAllowedIps;
      const addresses = (list: { address: string }[]) => list.map(({ address }) => address).sort();
      expect(addresses(accepted)).toEqual(expected);
      expect(addresses([...accepted, ...rejected])).toEqual(['192.0.2.1', '2001:db8::1', '203.0.113.7']);
    });

    it('says that it is not complete if the key was presented from more addresses than are kept', async () => {
      const { id, secret } = await gateway.issue();
      const read = async () => {
        const shown = (await ask(preview, { keyId: id, allowedIps: ['0.0.0.0/0'] })).data.previewAllowedIps;
        const { unlistedSources } = (await ask(unlisted, { keyId: id })).data;
        expect(shown.unlisted).toEqual(unlistedSources);
        return { accepted: shown.accepted.length, rejected: shown.rejected.length, unlisted: unlistedSources };
      };
      const use = (subnet: number) =>
        onInstances(1, async ([url]) => {
          for (let i = 0; i < 70; i += 1) await codeOf(url, secret, { sourceIp: `10.0.${subnet}.${i}` });
        });
      await use(1);
      expect(await read()).toEqual({ accepted: 70, rejected: 0, unlisted: [] });
      await use(2);
      const counts = [{ code: 'VALID', count: 40 }];
      expect(await read()).toEqual({ accepted: 100, rejected: 0, unlisted: [{ secret: 'CURRENT', counts }] });
    });

    it('changes nothing, and reports the errors of updateKey', async () => {
      await previewOf(['10.0.0.1']);
      expect((await management().store.keys.find(key.id))?.allowedIps).toEqual([]);
      const update = `mutation ($id: UUID!, $allowedIps: [String!]) {
      updateKey(id: $id, input: { allowedIps: $allowedIps }) { apiKey { id } }
    }`;
      for (const allowedIps of [['10.0.0.1', '10.0.0.0/33', '*.example'], Array.from({ length: 101 }, () => '::1')]) {
        const [error] = (await previewOf(allowedIps)).errors;
        const session = sessionToken({ [gateway.teamId]: both });
        const [expected] = (await ask(update, { id: key.id, allowedIps }, session)).errors;
        expect(error.extensions.code).toBe('BAD_USER_INPUT');
        expect(error.extensions.errors).toEqual(expected.extensions.errors);
      }
    });

    it('like the observed sources, needs view_team on the team of the key', async () => {
      for (const [query, variables] of [
        [sources, { keyId: key.id }],
        [unlisted, { keyId: key.id }],
        [preview, { keyId: key.id, allowedIps: [] }],
      ] as const) {
        const code = async (session: string) => (await ask(query, variables, session)).errors[0].extensions.code;
        expect(await code(sessionToken({ [gateway.teamId]: ['manage_keys'] }))).toBe('FORBIDDEN');
        expect(await code(sessionToken({ [randomUUID()]: ['view_team'] }))).toBe('KEY_NOT_FOUND');
      }
    });
  });
});
