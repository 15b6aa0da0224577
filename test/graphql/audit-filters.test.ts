/** The filters of the audit trail: exact, with every page bounded, however long the trail is. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemEntry } from '../../src/events/system-entry.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { disableKey, revokeKey } from '../../src/manage/change/key-state.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { maxScannedEntries } from '../../src/store/rows/audit-log.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { seedRows } from '../support/seeds.ts';
import { both, callerOf, graphql, sessionToken, startService } from '../support/service.ts';
import { write } from '../support/write.ts';

const query = `query (
  $teamId: UUID!, $keyId: UUID, $action: [AuditAction!], $actor: String, $from: DateTime, $to: DateTime,
  $first: Int! = 50, $after: String
) {
  auditLog(teamId: $teamId, keyId: $keyId, action: $action, actor: $actor, from: $from, to: $to, first: $first, after: $after) {
    nodes { action actor keyId at } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

interface Entry {
  readonly action: string;
  readonly actor: string;
  readonly keyId: string;
  readonly at: string;
}

interface Connection {
  readonly nodes: Entry[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string | null;
  };
}

const running = inTests(() => startService(theProvider));
const ask = async (teamId: string, input: Readonly<Record<string, unknown>> = {}) =>
  (await graphql(running.url, sessionToken({ [teamId]: both }), query, { teamId, ...input })).body;

/** Returns all pages of a list. */
async function everyPage(teamId: string, input: Readonly<Record<string, unknown>>): Promise<Entry[][]> {
  const pages: Entry[][] = [];
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Connection = (await ask(teamId, { ...input, after })).data.auditLog;
    expect(pageInfo.hasPreviousPage).toBe(after !== null);
    pages.push(nodes);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return pages;
}

it('an entry of a kind that only a newer version knows is shown as a change', async () => {
  const team = randomUUID();
  const entry = systemEntry(
    { action: 'KEY_UPDATED', keyId: randomUUID(), teamId: team, details: null },
    'x',
    new Date(),
  );
  // The kind is one of a newer version.
  const unknown = { ...entry, action: 'KEY_FROM_THE_FUTURE' as typeof entry.action };
  await write(running.service.management.store, { entries: [unknown] });
  const { data } = await ask(team);
  expect(data.auditLog.nodes).toMatchObject([{ action: 'KEY_UPDATED', actor: 'latchkey' }]);
});

it('an entry is listed exactly if it meets every given condition', async () => {
  const team = randomUUID();
  const { management } = running.service;
  const at = (day: number, subject: string) => {
    const caller = callerOf({ [team]: both }, new Date(`2026-01-0${day}T12:00:00Z`));
    return { ...caller, session: { ...caller.session, subject } };
  };
  const created = await createKey(management, at(1, 'ada'), { teamId: team, name: 'First', env: 'live' });
  const other = await createKey(management, at(2, ' ada'), { teamId: team, name: 'Second', env: 'live' });
  await disableKey(management, at(3, 'grace'), created.apiKey.id);
  await createKey(management, at(2, 'ada'), { teamId: randomUUID(), name: 'Theirs', env: 'live' }).catch(() => null);
  const daysOf = async (input: Readonly<Record<string, unknown>>) =>
    (await everyPage(team, input)).flat().map(({ at: when }) => Number(when.slice(8, 10)));
  expect(await daysOf({})).toEqual([3, 2, 1]);
  expect(await daysOf({ action: ['KEY_CREATED'] })).toEqual([2, 1]);
  expect(await daysOf({ action: ['KEY_DISABLED', 'KEY_CREATED'], keyId: created.apiKey.id })).toEqual([3, 1]);
  expect(await daysOf({ actor: 'ada' })).toEqual([1]);
  expect(await daysOf({ actor: ' ada' })).toEqual([2]);
  expect(await daysOf({ from: '2026-01-02T12:00:00Z' })).toEqual([3, 2]);
  expect(await daysOf({ to: '2026-01-02T12:00:00Z' })).toEqual([1]);
  expect(await daysOf({ actor: 'grace', action: ['KEY_CREATED'] })).toEqual([]);
  expect(await daysOf({ keyId: other.apiKey.id, first: 1, actor: ' ada' })).toEqual([2]);
  expect((await ask(randomUUID(), { actor: 'ada' })).data.auditLog.nodes).toEqual([]);
});

it('every entry has the present name of its key, also once the key is revoked', async () => {
  const team = randomUUID();
  const { management } = running.service;
  const caller = callerOf({ [team]: both }, new Date());
  const { apiKey } = await createKey(management, caller, { teamId: team, name: 'Old name', env: 'live' });
  await updateKey(management, caller, apiKey.id, { name: 'New name' });
  await revokeKey(management, caller, apiKey.id);
  const document = `query ($teamId: UUID!, $action: [AuditAction!]) {
      auditLog(teamId: $teamId, action: $action, first: 10) { nodes { action keyName } }
    }`;
  const read = async (input: object) =>
    (await graphql(running.url, sessionToken({ [team]: both }), document, { teamId: team, ...input })).body.data
      .auditLog.nodes;
  expect(await read({})).toEqual(
    ['KEY_REVOKED', 'KEY_UPDATED', 'KEY_CREATED'].map((action) => ({ action, keyName: 'New name' })),
  );
  expect(await read({ action: ['KEY_REVOKED'] })).toEqual([{ action: 'KEY_REVOKED', keyName: 'New name' }]);
});

it('a page reads a limited part of the trail; following the pages finds each entry once', async () => {
  const [team, keyId] = [randomUUID(), randomUUID()];
  const count = 2 * maxScannedEntries + 10;
  const start = 10_000_000;
  const rows = Array.from({ length: count }, (_, i) => ({
    revision: BigInt(start + i),
    action: 'KEY_UPDATED' as const,
    keyId,
    teamId: team,
    actor: i % 2500 === 0 ? 'rare' : 'common',
    actorKind: 'SESSION' as const,
    source: null,
    requestId: 'request',
    at: new Date(Date.parse('2026-01-01T00:00:00Z') + i * 1000),
    changes: [],
  }));
  await seedRows(running.database.url, 'AuditEntry', rows);
  const pages = await everyPage(team, { actor: 'rare' });
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  const small = await everyPage(team, { actor: 'rare', first: 1 });
  expect(small.flat().map(({ at }) => at)).toEqual(pages.flat().map(({ at }) => at));
  expect((await everyPage(team, { actor: 'none' })).map((page) => page.length)).toEqual([0, 0, 0]);
});

it.each([
  [{ action: [] }, 'action', 'must have at least one action, or be omitted'],
  [{ actor: '' }, 'actor', 'must have 1 to 255 characters, and no control characters'],
  [{ actor: 'a\u0000' }, 'actor', 'must have 1 to 255 characters, and no control characters'],
  [{ from: '0000-01-01T00:00:00Z' }, 'from', 'must be in the years 1 to 9999'],
])('%j is rejected, naming %s', async (input, field, message) => {
  const { errors } = await ask(randomUUID(), input);
  expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field, message }] });
});
