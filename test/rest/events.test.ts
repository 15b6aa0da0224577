// SECURITY.md: Hostile tenant
/** Reading events by position, and waiting for them without holding a slot. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { waitingSlots } from '../../src/admission/calls.ts';
import { eventIdOf, revisionOfEvent } from '../../src/domain/event/event.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { readEvents } from '../../src/manage/read/read-events.ts';
import { providers } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, callerOf, type RunningService, rest, sessionToken, startService } from '../support/service.ts';
import { write } from '../support/write.ts';

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly key: { readonly name: string } | null };
}

/** A team of its own at a service, and its calls. */
function newTeam(running: RunningService) {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: ['view_team', 'manage_keys', 'manage_webhooks'] }, `caller of ${teamId}`);
  const events = (query = '') => rest(running.url, token, 'GET', `/v1/events?teamId=${teamId}${query}`);
  const create = (name = 'A key') => rest(running.url, token, 'POST', '/v1/keys', { teamId, name, env: 'live' });
  const key = async (name?: string): Promise<string> => (await create(name)).body.id;
  return { teamId, token, events, create, key };
}

/** Counts the reads of the log for one team, those of them with which waits begin, and the entries that all waits share. */
function countedReads({ store: { auditLog } }: RunningService['service']['management']) {
  const reads = { ofTeam: 0, heads: 0, underWay: 0, passed: 0 };
  const count = async <T>(read: Promise<T>): Promise<T> => {
    reads.ofTeam += 1;
    reads.underWay += 1;
    return await read.finally(() => {
      reads.underWay -= 1;
    });
  };
  const { heads } = auditLog;
  const spies = [
    vi.spyOn(auditLog, 'heads').mockImplementation(async (listing) => {
      const read = heads.call(auditLog, listing);
      if (listing.teamId === undefined) {
        const entries = await read;
        reads.passed += entries.length;
        return entries;
      }
      reads.heads += 1;
      return await count(read);
    }),
    ...(['lastRevisionOf', 'textBytes', 'list'] as const).map((name) => {
      const read = auditLog[name].bind(auditLog) as (...values: unknown[]) => Promise<never>;
      return vi.spyOn(auditLog, name).mockImplementation((...values: unknown[]) => count(read(...values)));
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return reads;
}

/** Calls again, as `Retry-After` says, while an address has too many calls under way. */
async function admitted(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 429 && answer.status !== 503) return answer;
    await setTimeout(Number(answer.headers.get('retry-after')) * 1000);
  }
}

const namesOf = (events: readonly Event[]) => events.map(({ data }) => data.key?.name);

describe.each(providers)('on %s', (provider) => {
  const running = inTests(() => startService(provider));

  it('every event is read once, in order, page by page, and only those of the team', async () => {
    const { events, key, teamId } = newTeam(running);
    const other = newTeam(running);
    for (let i = 0; i < 7; i += 1) {
      await key(`Key ${i}`);
      await other.key('Theirs');
    }
    const read: Event[] = [];
    let after = '';
    for (;;) {
      const { body } = await events(`&limit=3${after}`);
      if (body.events.length === 0) {
        expect(`&after=${body.next}`).toBe(after);
        break;
      }
      read.push(...body.events);
      after = `&after=${body.next}`;
    }
    expect(namesOf(read)).toEqual(Array.from({ length: 7 }, (_, i) => `Key ${i}`));
    expect(read[0]).toMatchObject({
      id: expect.stringMatching(/^evt_[\w-]{22}$/),
      type: 'key.created',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      data: { teamId, actor: `caller of ${teamId}`, changes: expect.any(Array) },
    });
    expect(Object.keys(read[0] ?? {})).toEqual(['id', 'type', 'timestamp', 'data']);
    // An id of an event is a position too.
    expect(namesOf((await events(`&after=${read[4]?.id}`)).body.events)).toEqual(['Key 5', 'Key 6']);
  });

  it('an event says who is responsible for its key now, if anybody is', async () => {
    const { events, key, token } = newTeam(running);
    const id = await key();
    const byEvent = async () =>
      (await events()).body.events.map(
        ({ data }: { data: { key: { responsible: string | null } } }) => data.key.responsible,
      );
    const first = await byEvent();
    expect(first).toEqual([expect.stringMatching(/^caller of /)]);
    for (const responsible of ['Team Billing', null]) {
      await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { responsible });
      expect(new Set(await byEvent())).toEqual(new Set([responsible]));
    }
  });

  it('of types, others are skipped, and the position moves over them', async () => {
    const { events, key, token } = newTeam(running);
    const id = await key();
    await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { name: 'Renamed' });
    const { body } = await events('&types=key.updated,key.revoked');
    expect(body.events.map(({ type }: Event) => type)).toEqual(['key.updated']);
    const none = (await events('&types=key.revoked')).body;
    expect(none.events).toEqual([]);
    expect((await events(`&after=${none.next}`)).body).toEqual({ events: [], next: none.next });
    expect(none.next).toBe(body.next);
  });

  it('with types, a page covers a limited part of the log, and the next one continues there', async () => {
    const { teamId } = newTeam(running);
    const { management } = running.service;
    const caller = callerOf({ [teamId]: ['view_team', 'manage_keys'] });
    await createKey(management, caller, { teamId, name: 'First', env: 'live' });
    const { store, revisions } = management;
    const [first] = await store.auditLog.list({ teamId, limit: 1 });
    if (first === undefined) throw new Error('there is no entry');
    const { revision, ...entry } = first;
    const entries = Array.from({ length: 5001 }, (_, i) => {
      const action = i === 5000 ? ('KEY_REVOKED' as const) : ('KEY_UPDATED' as const);
      return { ...entry, action, changes: [] };
    });
    let end = 0n;
    for (let from = 0; from < entries.length; from += 500) {
      const some = entries.slice(from, from + 500);
      end = (await write(store, { entries: some })) + BigInt(some.length - 1);
    }
    const read = (after: string) =>
      readEvents(management, caller, { teamId, first: 10, after, types: ['key.revoked'] });
    const page = await read(eventIdOf(revision, revisions));
    expect(page).toEqual({ events: [], next: eventIdOf(end - 1n, revisions) });
    const next = await read(page.next);
    expect([next.events.map(({ type }) => type), next.next]).toEqual([['key.revoked'], eventIdOf(end, revisions)]);
    expect(await read(next.next)).toEqual({ events: [], next: next.next });
  });

  it('latest is the position after everything that happened', async () => {
    const { events, key } = newTeam(running);
    const empty = (await events('&after=latest')).body;
    expect(empty.events).toEqual([]);
    await key('First');
    const { next } = (await events('&after=latest')).body;
    expect(namesOf((await events(`&after=${empty.next}`)).body.events)).toEqual(['First']);
    await key('Second');
    expect(namesOf((await events(`&after=${next}`)).body.events)).toEqual(['Second']);
  });

  it('a waiting call is answered by the first event', async () => {
    const { teamId, token, events, key } = newTeam(running);
    const { next } = (await events('&after=latest')).body;
    // Ids can be written in upper case.
    const query = `teamId=${teamId.toUpperCase()}&after=${next}&wait=30`;
    const waits = vi.spyOn(running.service.management, 'waitForEvents');
    onTestFinished(() => waits.mockRestore());
    const waiting = rest(running.url, token, 'GET', `/v1/events?${query}`);
    // Otherwise it would get the event at the end of its time.
    await expect.poll(() => waits.mock.calls[0]?.[0].teamId).toBe(teamId);
    await key('Awaited');
    const { body } = await waiting;
    expect(namesOf(body.events)).toEqual(['Awaited']);
    expect(body.next).not.toBe(next);
  });
});

const running = inTests(() => startService('sqlite'));

it('calls that wait for other types read nothing when the team has new events', async () => {
  const { teamId, events, key, token } = newTeam(running);
  const id = await key();
  const { next } = (await events('&after=latest')).body;
  const { management } = running.service;
  const waits = vi.spyOn(management, 'waitForEvents');
  onTestFinished(() => waits.mockRestore());
  const reads = countedReads(management);
  const abort = new AbortController();
  const wait = (types: string, caller: number) => {
    const waiting = sessionToken({ [teamId]: ['view_team'] }, `waits ${caller} for ${teamId}`);
    const path = `/v1/events?teamId=${teamId}&after=${next}&wait=30&types=${types}`;
    return fetch(`${running.url}${path}`, { headers: { authorization: `Bearer ${waiting}` }, signal: abort.signal });
  };
  const others = Array.from({ length: 59 }, (_, i) => wait(i % 2 === 0 ? 'key.revoked' : 'key.exposed', i % 5));
  const ended = Promise.allSettled(others);
  const one = wait('key.updated', 5);
  // Each begins with one read of what was committed meanwhile.
  await expect
    .poll(() => [waits.mock.calls.length, reads.heads, reads.underWay], { timeout: 20_000 })
    .toEqual([60, 60, 0]);
  reads.ofTeam = 0;
  const { passed } = reads;
  for (let i = 1; i <= 5; i += 1) {
    await key();
    await expect.poll(() => reads.passed).toBeGreaterThanOrEqual(passed + i);
  }
  await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { name: 'Renamed' });
  const answer: { readonly events: readonly Event[] } = JSON.parse(await (await one).text());
  expect(namesOf(answer.events)).toEqual(['Renamed']);
  // One page for the call that is answered: the end of the log, the sizes of the entries and the entries.
  expect(reads.ofTeam).toBeLessThanOrEqual(4);
  abort.abort();
  await ended;
});

it('a waiting call compares a bounded number of events, and then returns the position that it has reached', async () => {
  const { teamId, events, key } = newTeam(running);
  const caller = callerOf({ [teamId]: ['view_team'] });
  const { management } = running.service;
  const { next } = (await events('&after=latest')).body;
  await key();
  const read = vi.spyOn(management.store.auditLog, 'lastToScan');
  // As if each page of the log were one event long, so that more pages follow than a call reads.
  let position = 0n;
  const [first] = await management.store.auditLog.list({ teamId, limit: 1 });
  const end = first?.revision ?? 0n;
  read.mockImplementation(async () => {
    position += 1n;
    return end + position;
  });
  onTestFinished(() => read.mockRestore());
  const { body } = await events(`&after=${next}&types=key.revoked&wait=30`);
  expect(body.events).toEqual([]);
  expect(read.mock.calls.length).toBe(8);
  expect(revisionOfEvent(body.next, management.revisions)).toBe(end + 8n);
  expect((await readEvents(management, caller, { teamId, first: 1, after: next })).events).toHaveLength(1);
});

it('test events are only for the tested webhook', async () => {
  const { events, teamId, token } = newTeam(running);
  const body = { teamId, url: 'https://webhook.invalid/' };
  const { id } = (await rest(running.url, token, 'POST', '/v1/webhooks', body)).body;
  await rest(running.url, token, 'POST', `/v1/webhooks/${id}/test`);
  const page = (await events()).body;
  expect(page.events.map(({ type }: Event) => type)).toEqual(['webhook.created']);
  expect((await events(`&after=${page.next}`)).body).toEqual({ events: [], next: page.next });
});

it.each([
  ['after=x', 'after'],
  ['after=latest&wait=31', 'wait'],
  ['wait=-1', 'wait'],
  ['wait=', 'wait'],
  ['types=', 'types[0]'],
  ['types=key.created,nothing', 'types[1]'],
  ['types=session.rejected', 'types[0]'],
  ['limit=501', 'limit'],
  ['limit=x', 'limit'],
  ['other=1', 'other'],
])('rejects %s', async (query, field) => {
  const { body } = await newTeam(running).events(`&${query}`);
  expect([body.code, body.errors?.map((error: { field: string }) => error.field)]).toEqual(['BAD_USER_INPUT', [field]]);
});

it('an event of another type does not answer a waiting call; one of its types does', async () => {
  const { events, key, token } = newTeam(running);
  const id = await key();
  const { next } = (await events('&after=latest')).body;
  const waiting = events(`&after=${next}&types=key.revoked&wait=30`);
  await key();
  await rest(running.url, token, 'DELETE', `/v1/keys/${id}`);
  expect((await waiting).body.events.map(({ type }: Event) => type)).toEqual(['key.revoked']);
});

describe('waiting calls', () => {
  const underWay = ({ service }: RunningService) => service.readings.management?.().requests.underWay;

  it('hold no slot, are limited for a caller, and give back their places when clients disconnect', async () => {
    const { events, teamId, token, key } = newTeam(running);
    const { next } = (await events('&after=latest')).body;
    const abort = new AbortController();
    let rejected = 0;
    const waiting = Array.from({ length: waitingSlots.perCaller + 3 }, async () => {
      const response = await fetch(`${running.url}/v1/events?teamId=${teamId}&after=${next}&wait=30`, {
        headers: { authorization: `Bearer ${token}` },
        signal: abort.signal,
      }).catch(() => null);
      if (response === null) return;
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5']);
      rejected += 1;
    });
    await expect.poll(() => rejected).toBe(3);
    await expect.poll(() => underWay(running)).toBe(0);
    abort.abort();
    await Promise.all(waiting);
    // As many can wait again.
    await expect.poll(async () => (await events(`&after=${next}&wait=1`)).status).toBe(200);
    const again = Array.from({ length: waitingSlots.perCaller }, () => events(`&after=${next}&wait=30`));
    await key();
    expect((await Promise.all(again)).map(({ status }) => status)).toEqual(again.map(() => 200));
  });

  it('many of many callers do not block management', async () => {
    // More than one address may have of the 256 slots, so that some calls are told to come again.
    const calls = Array.from({ length: 200 }, () => newTeam(running));
    const waiting = calls.map(async ({ events }) => {
      // A busy machine may need longer than one wait.
      for (;;) {
        const { body } = await admitted(() => events('&wait=30'));
        if (body.events.length > 0) return body.events;
      }
    });
    const { create, events } = newTeam(running);
    for (let i = 0; i < 3; i += 1) expect((await admitted(create)).status).toBe(201);
    expect((await admitted(events)).body.events).toHaveLength(3);
    await expect.poll(() => underWay(running)).toBe(0);
    const created = await Promise.all(calls.map(({ create: ofTeam }) => admitted(ofTeam)));
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
    for (const ofTeam of await Promise.all(waiting)) expect(ofTeam).toHaveLength(1);
  });

  it('end when the service stops', async () => {
    const stopping = await startService('sqlite');
    const { events } = newTeam(stopping);
    const { next } = (await events('&after=latest')).body;
    const waiting = events(`&after=${next}&wait=30`);
    await expect.poll(() => stopping.service.readings.management?.().requests.underWay).toBe(0);
    stopping.service.startDraining();
    expect((await waiting).body).toEqual({ events: [], next });
    // Until the port is closed, calls are answered at once.
    expect((await events(`&after=${next}&wait=30`)).body).toEqual({ events: [], next });
    await stopping.stop();
  });
});
