/** The checker of `npm run chaos -- torture events` misses no broken promise. The runs show that it reports none that was kept. */
import { expect, test } from 'vitest';
import type { Change } from '../../../harness/key-model.ts';
import { Random } from '../../../harness/random.ts';
import type { Arrival } from '../../../harness/webhook-receiver.ts';
import { Ledger, type Operation } from '../../ledger.ts';
import { checkEndpoint, checkLog, checkReader, expectedAt, revokeLatencies } from './checker.ts';
import type { LoggedEvent } from './history.ts';

const [team, webhook, key, otherKey] = ['team', 'webhook', 'key', 'another key'];

function logged(id: string, type: string, subject = key, data: object = {}): LoggedEvent {
  const about = /^(key|signing)\./.test(type) ? { id: subject } : null;
  return { id, type, subject, timestamp: '2026-11-26T12:00:00.000Z', data: { teamId: team, key: about, ...data } };
}

const log = [
  logged('early', 'key.created'),
  logged('creation', 'webhook.created', webhook),
  logged('rename', 'key.updated', key, { changes: [{ field: 'name', before: 'a', after: 'b' }] }),
  logged('other', 'key.created', otherKey),
  logged('test', 'webhook.tested', webhook),
  logged('revoke', 'key.revoked'),
];

/** As the service would send it: with the name of the key. */
function bodyOf({ id, type, timestamp, data }: LoggedEvent, changed: object = {}): string {
  const named = data.key === null ? null : { ...(data.key as object), name: 'b', env: 'live', prefix: 'lk_live_1' };
  return JSON.stringify({ id, type, timestamp, data: { ...data, key: named, ...changed } });
}

function arrival(id: string, at: number, changed: Partial<Arrival> = {}): Arrival {
  const event = log.find((one) => one.id === id) ?? logged(id, 'key.updated');
  return { id, body: bodyOf(event), at, acceptedAt: at + 1, isSigned: true, ...changed };
}

const all = [arrival('rename', 10), arrival('other', 11), arrival('revoke', 20)];

function problems(arrivals: readonly Arrival[], types: readonly string[] = [], due = log.length): string[] {
  const endpoint = { name: 'healthy', webhookId: webhook, teamId: team, types, arrivals };
  return checkEndpoint(endpoint, log, due).map(({ problem }) => problem);
}

test('an endpoint gets what follows its creation, of its types, but no test event of another', () => {
  const ids = (types: readonly string[]) => expectedAt({ webhookId: webhook, types }, log).map(({ id }) => id);
  expect(ids([])).toEqual(['rename', 'other', 'revoke']);
  expect(ids(['key.revoked'])).toEqual(['revoke']);
  expect(expectedAt({ webhookId: 'unknown', types: [] }, log)).toEqual([]);
});

test('nothing is reported if all events arrive, some again, and keys do not wait for one another', () => {
  expect(problems(all)).toEqual([]);
  const again = [
    arrival('rename', 10, { acceptedAt: null }),
    arrival('other', 5),
    arrival('rename', 15),
    arrival('revoke', 20),
    arrival('rename', 30),
  ];
  expect(problems(again)).toEqual([]);
  expect(problems([arrival('revoke', 1)], ['key.revoked'])).toEqual([]);
  // Not due yet.
  expect(problems(all.slice(0, 2), [], log.length - 1)).toEqual([]);
});

const elsewhere = logged('elsewhere', 'key.updated', 'key of another team', { teamId: 'another team' });

test.each<[what: string, problem: string, arrivals: readonly Arrival[], types?: readonly string[]]>([
  ['a lost event', 'lost: key.revoked revoke never arrived', all.slice(0, 2)],
  [
    'an event that was given up',
    'lost: key.revoked revoke was sent, but not again',
    [...all.slice(0, 2), arrival('revoke', 20, { acceptedAt: null })],
  ],
  [
    'events of one key in another order',
    'reordered: key.revoked revoke arrived before key.updated rename',
    [arrival('revoke', 5), arrival('rename', 10), arrival('other', 11)],
  ],
  [
    'an event that did not wait for the one before it',
    'reordered: key.revoked revoke arrived before key.updated rename was accepted',
    [arrival('rename', 10, { acceptedAt: null }), arrival('revoke', 12), arrival('rename', 14), arrival('other', 11)],
  ],
  [
    'other content',
    'changed: data.changes of key.updated rename',
    [...all, arrival('rename', 30, { body: bodyOf(log[2] ?? logged('', ''), { changes: [] }) })],
  ],
  [
    'another key',
    'changed: data.key of key.revoked revoke',
    [...all, arrival('revoke', 30, { body: bodyOf(log[5] ?? logged('', ''), { key: { id: otherKey } }) })],
  ],
  [
    'another type',
    'changed: type of key.disabled revoke',
    [...all, arrival('revoke', 30, { body: bodyOf(logged('revoke', 'key.disabled')) })],
  ],
  [
    'a member that the log does not have',
    'changed: data.more of key.revoked revoke',
    [...all, arrival('revoke', 30, { body: bodyOf(log[5] ?? logged('', ''), { more: 1 }) })],
  ],
  [
    'an id that changes',
    'the request with the id again has the event rename',
    [...all, arrival('again', 30, { body: bodyOf(log[2] ?? logged('', '')) })],
  ],
  [
    'an event of another team',
    'foreign: key.updated elsewhere is of another team',
    [...all, arrival('elsewhere', 30, { body: bodyOf(elsewhere) })],
  ],
  ['an invented event', 'foreign: key.updated invented is not in the audit trail', [...all, arrival('invented', 30)]],
  ['an event from before', 'unwanted: key.created early', [...all, arrival('early', 30)]],
  ['a test event for another endpoint', 'unwanted: webhook.tested test', [...all, arrival('test', 30)]],
  ['an unwanted type', 'unwanted: key.created other', [arrival('other', 1), arrival('revoke', 20)], ['key.revoked']],
  [
    'an invalid signature',
    'the signature of revoke is invalid',
    [...all.slice(0, 2), arrival('revoke', 20, { isSigned: false })],
  ],
])('reports %s', (_, problem, arrivals, types) => {
  expect(problems(arrivals, types)).toEqual([expect.stringContaining(problem)]);
});

test.each<[what: string, problem: string | null, ids: readonly string[], due?: number]>([
  ['nothing if all were read', null, ['early', 'creation', 'rename', 'other', 'revoke']],
  ['nothing that is not due', null, ['early', 'creation', 'rename'], 3],
  ['a lost event', 'lost: key.updated rename was not read', ['early', 'creation', 'other', 'revoke']],
  ['a lost end', 'lost: key.revoked revoke was not read', ['early', 'creation', 'rename', 'other']],
  [
    'a repeated event',
    'reordered: key.updated rename was read again',
    ['early', 'creation', 'rename', 'rename', 'other', 'revoke'],
  ],
  [
    'a foreign event',
    'foreign: key.updated elsewhere',
    ['early', 'creation', 'rename', 'elsewhere', 'other', 'revoke'],
  ],
  ['a test event', 'foreign: webhook.tested test', ['early', 'creation', 'rename', 'other', 'test', 'revoke']],
])('of a reader, reports %s', (_, problem, ids, due) => {
  const events = ids.map((id) => JSON.parse(bodyOf(log.find((one) => one.id === id) ?? elsewhere)));
  const found = checkReader({ name: 'a reader', teamId: team, events }, log, due);
  expect(found.map((one) => one.problem)).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
});

test('of a reader, reports events in another order and other content', () => {
  const read = (...ids: string[]) => ids.map((id) => JSON.parse(bodyOf(log.find((one) => one.id === id) ?? elsewhere)));
  const swapped = read('early', 'creation', 'other', 'rename', 'revoke');
  const found = checkReader({ name: 'a reader', teamId: team, events: swapped }, log);
  expect(found.map(({ problem }) => problem)).toContainEqual(expect.stringContaining('reordered: key.updated rename'));
  const [first, ...rest] = read('early', 'creation', 'rename', 'other', 'revoke');
  const events = [{ ...first, data: { ...first.data, actor: 'another' } }, ...rest];
  expect(checkReader({ name: 'a reader', teamId: team, events }, log)).toEqual([
    { at: 'a reader', problem: 'changed: data.actor of key.created early differs from the audit trail' },
  ]);
});

/** A key that was created, renamed and revoked, as its client has recorded it. */
function recorded(changed: Partial<Operation> = {}): Ledger {
  const ledger = new Ledger(new Random(1));
  const operation = (name: Operation['name'], change: Change, keyId: string | null): void => {
    const actor = ledger.nextActor();
    const [started, ended] = [10 * ledger.operations.size, 10 * ledger.operations.size + 5];
    const answer = { ended, rejection: null, shown: { id: key } };
    const common = { actor, transport: 'REST', at: 'A', started, ended } as const;
    const last = name === 'revoke' ? changed : {};
    ledger.operations.set(actor, { ...common, name, change, keyId, answer, ...last });
  };
  operation('create', { kind: 'createKey', name: 'a', env: 'live' }, null);
  operation('rename', { kind: 'updateKey', settings: { name: 'b' } }, key);
  operation('revoke', { kind: 'revokeKey' }, key);
  return ledger;
}

const [created, renamed, revokedEntry] = (
  [
    [
      ['env', null, 'live'],
      ['name', null, 'a'],
      ['prefix', null, 'lk_live_1'],
      ['allowedIps', null, []],
      ['scopes', null, []],
      ['tags', null, []],
      ['responsible', null, 'operation-1'],
      ['signingEnabled', null, false],
      ['signingVersion', null, 0],
    ],
    [['name', 'a', 'b']],
    [['revokedAt', null, '2026-11-26T12:00:00.000Z']],
  ] as const
).map((changes, i) =>
  logged(String(i), ['key.created', 'key.updated', 'key.revoked'][i] ?? '', key, {
    actor: `operation-${i + 1}`,
    changes: changes.map(([field, before, after]) => ({ field, before, after })),
  }),
) as [LoggedEvent, LoggedEvent, LoggedEvent];

test('each answered change of a key is in the audit trail, once, in order and as requested', () => {
  const count = (log: readonly LoggedEvent[], changed: Partial<Operation> = {}) =>
    checkLog(recorded(changed), log).length;
  const all = [created, renamed, revokedEntry];
  expect(count(all)).toBe(0);
  expect(count([...all, logged('4', 'key.expired', key, { actorKind: 'SYSTEM', changes: [] })])).toBe(0);
  // A change without an answer may have been made or not.
  expect(count([created, renamed], { answer: null })).toBe(0);
  expect(count(all, { answer: null })).toBe(0);
  expect(count([created, renamed])).toBe(1);
  expect(count([...all, revokedEntry])).toBe(1);
  expect(count([created, { ...renamed, type: 'key.disabled' }, revokedEntry])).toBe(1);
  expect(count([created, { ...renamed, data: { ...renamed.data, changes: [] } }, revokedEntry])).toBe(1);
  expect(count([created, revokedEntry, renamed])).toBeGreaterThan(0);
});

test('a revoke takes from its answer to the first arrival of its event; for ever if it was lost', () => {
  const { changes } = recorded();
  const latency = (arrivals: readonly Arrival[]) => revokeLatencies(changes, log, { arrivals }).map(({ ms }) => ms);
  expect(latency([arrival('revoke', 30), arrival('revoke', 40)])).toEqual([5]);
  expect(latency([])).toEqual([Number.POSITIVE_INFINITY]);
  expect(revokeLatencies(recorded({ answer: null }).changes, log, { arrivals: all })).toEqual([]);
});
