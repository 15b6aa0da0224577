// SECURITY.md: Hostile tenant
/** Callers of several teams get turns of the management process, however many calls one of them sends. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));
/** The keys that were looked up, and the look-ups that wait for the test. */
const found: string[] = [];
const held: (() => void)[] = [];
let isHeld = false;

beforeAll(async () => {
  const { keys } = running.service.management.store;
  const find = keys.find.bind(keys);
  keys.find = async (id) => {
    found.push(id);
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    return await find(id);
  };
});
beforeEach(() => found.splice(0));

function hold(): void {
  isHeld = true;
}

function letGo(): void {
  isHeld = false;
  for (const release of held.splice(0)) release();
}

/** A team with a key, and two callers. */
async function newTeam() {
  const team = randomUUID();
  const [token, other] = ['one', 'two'].map((subject) => sessionToken({ [team]: both }, subject));
  if (token === undefined || other === undefined) throw new Error('there are two callers');
  const { id } = (await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' }))
    .body;
  return { token, other, id: String(id) };
}

/** A document with as many changes as one may have. */
function manyChanges(id: string): string {
  const changes = Array.from({ length: 10 }, (_, i) => `c${i}: endOverlap(id: "${id}") { apiKey { id } }`);
  return `mutation { ${changes.join(' ')} }`;
}

/** Sends a document. Returns what resets the connection: one that is only closed may be that of a client that waits. */
function startRaw(token: string, query: string): { readonly reset: () => void } {
  const body = JSON.stringify({ query });
  const fields = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  const socket = connect({ port: Number(new URL(running.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(`${['POST /graphql HTTP/1.1', 'Host: a', ...fields].join('\r\n')}\r\n\r\n${body}`);
  return { reset: () => void socket.resetAndDestroy() };
}

const underWay = () => running.service.readings.management?.().requests.underWay;
const start = (token: string, query: string) => graphql(running.url, token, query);
const read = (id: string) => `{ key(id: "${id}") { id } }`;

it('of a team, one expensive operation runs at a time; those of other teams, and revocations, run beside it', async () => {
  const [noisy, quiet] = [await newTeam(), await newTeam()];
  hold();
  const documents = [noisy.token, noisy.other, noisy.token, noisy.other].map((token) =>
    start(token, manyChanges(noisy.id)),
  );
  await expect.poll(() => found).toEqual([noisy.id]);
  const others = [start(quiet.token, read(quiet.id))];
  await expect.poll(() => found).toEqual([noisy.id, quiet.id]);
  others.push(rest(running.url, noisy.other, 'DELETE', `/v1/keys/${noisy.id}`));
  await expect.poll(() => found).toEqual([noisy.id, quiet.id, noisy.id]);
  letGo();
  for (const { status } of await Promise.all([...documents, ...others])) expect(status).toBe(200);
});

it('cheap operations of a team run at once', async () => {
  const { token, id } = await newTeam();
  hold();
  const reads = Array.from({ length: 8 }, () => start(token, read(id)));
  await expect.poll(() => found).toHaveLength(8);
  letGo();
  for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
});

it('an operation whose client resets its connection while it waits never runs', async () => {
  const [{ token, id }, gone] = [await newTeam(), randomUUID()];
  hold();
  const first = start(token, manyChanges(id));
  await expect.poll(() => found).toEqual([id]);
  const waiting = startRaw(token, manyChanges(gone));
  await expect.poll(underWay).toBe(2);
  waiting.reset();
  await expect.poll(underWay).toBe(1);
  const last = start(token, manyChanges(id));
  letGo();
  for (const { status } of await Promise.all([first, last])) expect(status).toBe(200);
  expect(found).not.toContain(gone);
});

it('an operation whose client resets its connection while it runs delays the others of its team until it has ended', async () => {
  const { token, other, id } = await newTeam();
  hold();
  const first = startRaw(token, manyChanges(id));
  await expect.poll(() => found).toEqual([id]);
  first.reset();
  await expect.poll(underWay).toBe(0);
  const second = start(other, manyChanges(id));
  await expect.poll(underWay).toBe(1);
  // A cheap one of another team has passed everything that comes before the turn.
  const quiet = await newTeam();
  const passed = start(quiet.token, read(quiet.id));
  await expect.poll(() => found).toContain(quiet.id);
  expect(found.filter((found) => found === id)).toEqual([id]);
  letGo();
  for (const { status } of await Promise.all([second, passed])) expect(status).toBe(200);
});
