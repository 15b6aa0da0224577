// SECURITY.md: Silent resolver
/** Keys with host names among their allowed sources, and a DNS server that is silent or has too many addresses. */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { explainVerification } from '../../src/manage/read/explain-verification.ts';
import { openKeyFeed, openNonces } from '../../src/store/feed/verification-store.ts';
import { openDataPlane } from '../../src/verify/data-plane.ts';
import { type RunningGateway, startGateway, startPort, verifyAt } from '../support/gateway.ts';
import { startLargeNameServer } from '../support/large-answers.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { type Answer, both, callerOf } from '../support/service.ts';

const address = '203.0.113.7';
let names: NameServer;
let gateway: RunningGateway;

beforeEach(async () => {
  names = await startNameServer({ 'gate.example': [address], 'other.example': [address] });
  gateway = await startGateway('sqlite', { DNS_SERVERS: names.address });
});
afterEach(async () => {
  names.release();
  await gateway.stop();
  names.stop();
});

const verify = (key: string, url = gateway.url) => verifyAt(url, { key, sourceIp: address });
const codeOf = ({ body }: Answer) => body.code;

async function keyOfAnotherTeam(allowedIps: readonly string[]): Promise<string> {
  const { management } = gateway;
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: both });
  const { apiKey, secret } = await createKey(management, caller, { teamId, name: 'A key', env: 'live' });
  await updateKey(management, caller, apiKey.id, { allowedIps });
  return secret;
}

/** Another verification port on the same store, with fewer places than a team may have callers that wait for DNS. */
async function smallPort(capacity: number): Promise<string> {
  const { store, peppers, signingKeks } = gateway.management;
  const { DATABASE_URL } = readConfiguration({ DATABASE_URL: gateway.running.database.url });
  const dataPlane = openDataPlane({
    feed: openKeyFeed(DATABASE_URL),
    nonces: openNonces(DATABASE_URL),
    controlPlane: {
      addUsage: (records) => store.usage.add(records),
      addSources: async () => undefined,
      addTrips: async () => undefined,
      addRates: async () => [],
    },
    peppers,
    signingKeks,
    cacheKeys: 100,
    cacheBytes: 1_000_000,
    remote: false,
    leaseMs: 0,
    dnsServers: [names.address],
    unknownKeysPerMinute: 100,
    report: () => undefined,
  });
  onTestFinished(() => dataPlane.close());
  return (await startPort({ verifier: dataPlane.verifier, capacity })).url;
}

it("while a team's host names get no DNS answer, other teams' keys are served, and only that team's keys get 503", async () => {
  const url = await smallPort(8);
  const attacker = await gateway.issue({ allowedIps: ['gate.example'] });
  const plain = await keyOfAnotherTeam(['203.0.113.0/24']);
  const named = await keyOfAnotherTeam(['other.example']);
  expect(codeOf(await verify(named, url))).toBe('VALID');
  names.hold();
  // Until the budget of the team is used up, and further calls are rejected.
  const flood: Promise<Answer>[] = [];
  const rejected: Answer[] = [];
  let underWay = 0;
  const attack = async () => {
    underWay += 1;
    const answer = await verify(attacker.secret, url);
    underWay -= 1;
    if (answer.status === 503) rejected.push(answer);
    return answer;
  };
  while (rejected.length === 0) {
    while (underWay < 160) flood.push(attack());
    await new Promise(setImmediate);
  }
  expect([rejected[0]?.headers.get('retry-after'), rejected[0]?.body.code]).toEqual(['1', 'UNAVAILABLE']);
  for (const key of [plain, named, plain, named]) expect(codeOf(await verify(key, url))).toBe('VALID');
  names.release();
  const answers = await Promise.all(flood);
  const served = answers.filter((answer) => answer.status === 200);
  expect(served.length).toBeGreaterThan(8);
  // By then the server may have been silent for too long.
  for (const answer of served) expect(['VALID', 'SOURCE_NOT_ALLOWED']).toContain(codeOf(answer));
  for (const answer of answers) expect([200, 503]).toContain(answer.status);
});

it('a verification that waits for DNS takes none of the places of the port', async () => {
  const { secret } = await gateway.issue({ allowedIps: ['gate.example'] });
  names.hold();
  const waiting = verify(secret);
  await expect.poll(names.questions).toBeGreaterThan(0);
  const requests = gateway.running.service.readings.verification?.().requests;
  expect(requests?.underWay).toBe(0);
  names.release();
  expect(codeOf(await waiting)).toBe('VALID');
  expect(requests?.underWay).toBe(0);
});

it('the names of a key that is in use are resolved when it changes, before a verification needs them', async () => {
  const { id, secret } = await gateway.issue({ allowedIps: [address] });
  expect(codeOf(await verify(secret))).toBe('VALID');
  expect(names.questions()).toBe(0);
  await updateKey(gateway.management, gateway.caller(), id, { allowedIps: ['gate.example'] });
  // The change reaches the cache with the verification of any other key.
  await verify(await keyOfAnotherTeam([address]));
  await expect.poll(names.questions).toBe(2);
  names.hold();
  expect(codeOf(await verify(secret))).toBe('VALID');
});

it('a revoked key causes no DNS query', async () => {
  const { id, secret } = await gateway.issue({ allowedIps: ['gate.example'] });
  await gateway.revoke(id);
  names.hold();
  expect(codeOf(await verify(secret))).toBe('REVOKED');
  expect(names.questions()).toBe(0);
});

it.each([
  ['65', { a: 65, aaaa: 0 }],
  ['thousands of', { a: 4000, aaaa: 2300 }],
])('a name with %s addresses allows none of them, and the explanation says why', async (_, answers) => {
  const many = await startLargeNameServer(answers);
  const large = await startGateway('sqlite', { DNS_SERVERS: many.address });
  onTestFinished(async () => {
    await large.stop();
    many.stop();
  });
  const { secret } = await large.issue({ allowedIps: ['gate.example'] });
  // The first of the addresses.
  const sourceIp = '198.18.0.0';
  expect(codeOf(await verifyAt(large.url, { key: secret, sourceIp }))).toBe('SOURCE_NOT_ALLOWED');
  const { teamId } = large;
  const { code, checks } = await explainVerification(large.management, large.caller(), { teamId, secret, sourceIp });
  expect(code).toBe('SOURCE_NOT_ALLOWED');
  expect(checks.find(({ name }) => name === 'SOURCE')?.explanation).toContain(
    '(gate.example has more than 64 addresses, so none of them is allowed)',
  );
});

it('a key from before the limit of host names works as before, and its next list is limited', async () => {
  const { id, secret } = await gateway.issue();
  const hosts = Array.from({ length: 99 }, (_, i) => `none-${i}.example`);
  const database = new Sqlite(new URL(gateway.running.database.url).pathname);
  database
    .prepare('UPDATE "ApiKey" SET "allowedIps" = ? WHERE "id" = ?')
    .run(JSON.stringify([...hosts, 'gate.example']), id);
  database.close();
  expect(codeOf(await verify(secret))).toBe('VALID');
  await updateKey(gateway.management, gateway.caller(), id, { name: 'Another name' });
  expect(codeOf(await verify(secret))).toBe('VALID');
  const changed = updateKey(gateway.management, gateway.caller(), id, { allowedIps: hosts.slice(0, 17) });
  await expect(changed).rejects.toThrow('allowedIps: must have at most 16 host names, and has 17');
});
