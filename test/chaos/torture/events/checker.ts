/** The promises about events, checked against the audit trail: at least once, in order for each key, and unchanged. */
import { isDeepStrictEqual } from 'node:util';
import type { Arrival } from '../../../harness/webhook-receiver.ts';
import type { Ledger, Operation } from '../../ledger.ts';
import { settle } from '../../settle.ts';
import type { EndpointHistory, LoggedEvent, ReadEvent, ReaderHistory } from './history.ts';

export interface Finding {
  /** The endpoint, reader or key. */
  readonly at: string;
  readonly problem: string;
}

/** The events that an endpoint must get, of the first `due` entries of the log of its team. */
export function expectedAt(
  { webhookId, types }: Pick<EndpointHistory, 'webhookId' | 'types'>,
  log: readonly LoggedEvent[],
  due = log.length,
): readonly LoggedEvent[] {
  const creation = log.findIndex(({ type, subject }) => type === 'webhook.created' && subject === webhookId);
  if (creation < 0) return [];
  return log
    .slice(creation + 1, due)
    .filter(({ type }) => type !== 'webhook.tested' && (types.length === 0 || types.includes(type)));
}

/** `due`: how many entries of the log must have arrived. Later ones may still be under way. */
export function checkEndpoint(endpoint: EndpointHistory, log: readonly LoggedEvent[], due = log.length): Finding[] {
  const { name, arrivals } = endpoint;
  const logged = new Map(log.map((event) => [event.id, event]));
  const wanted = new Set(expectedAt(endpoint, log).map(({ id }) => id));
  const problems = arrivals.flatMap((arrival) => problemsOf(arrival, endpoint, logged, wanted));
  const first = new Map<string, number>();
  const accepted = new Map<string, number>();
  for (const { id, at, acceptedAt } of arrivals) {
    if (!first.has(id)) first.set(id, at);
    if (acceptedAt !== null && !accepted.has(id)) accepted.set(id, acceptedAt);
  }
  for (const { id, type } of expectedAt(endpoint, log, due)) {
    if (!first.has(id)) problems.push(`lost: ${type} ${id} never arrived`);
    else if (!accepted.has(id)) problems.push(`lost: ${type} ${id} was sent, but not again after it had failed`);
  }
  problems.push(...reordered(expectedAt(endpoint, log), first, accepted));
  return problems.map((problem) => ({ at: name, problem }));
}

function problemsOf(
  { id, body, isSigned }: Arrival,
  { teamId }: EndpointHistory,
  logged: ReadonlyMap<string, LoggedEvent>,
  wanted: ReadonlySet<string>,
): string[] {
  const event: ReadEvent = JSON.parse(body);
  const problems: string[] = [];
  if (!isSigned) problems.push(`the signature of ${id} is invalid`);
  if (event.id !== id) problems.push(`the request with the id ${id} has the event ${event.id}`);
  const expected = logged.get(event.id);
  if (event.data.teamId !== teamId) problems.push(`foreign: ${event.type} ${id} is of another team`);
  else if (expected === undefined) problems.push(`foreign: ${event.type} ${id} is not in the audit trail`);
  else if (!wanted.has(event.id)) problems.push(`unwanted: ${event.type} ${id} is not for this endpoint`);
  else problems.push(...differences(event, expected));
  return problems;
}

/** An event may arrive only after the receiver has accepted the previous event of the same key. */
function reordered(
  expected: readonly LoggedEvent[],
  first: ReadonlyMap<string, number>,
  accepted: ReadonlyMap<string, number>,
): string[] {
  const previous = new Map<string, LoggedEvent>();
  return expected.flatMap((event) => {
    const before = previous.get(event.subject);
    previous.set(event.subject, event);
    const arrived = first.get(event.id);
    if (before === undefined || arrived === undefined) return [];
    const settled = accepted.get(before.id) ?? Number.POSITIVE_INFINITY;
    if (arrived >= settled) return [];
    return [`reordered: ${event.type} ${event.id} arrived before ${before.type} ${before.id} was accepted`];
  });
}

function differences(event: ReadEvent, expected: LoggedEvent): string[] {
  const problems = (['type', 'timestamp'] as const).filter((name) => event[name] !== expected[name]) as string[];
  const data = withoutPresentName(event.data);
  const names = new Set([...Object.keys(data), ...Object.keys(expected.data)]);
  for (const name of names) if (!isDeepStrictEqual(data[name], expected.data[name])) problems.push(`data.${name}`);
  return problems.map((name) => `changed: ${name} of ${event.type} ${event.id} differs from the audit trail`);
}

function withoutPresentName({ key, ...data }: ReadEvent['data']): LoggedEvent['data'] {
  return { ...data, key: typeof key === 'object' && key !== null && 'id' in key ? { id: key.id } : null };
}

/** A reader gets all events of its team, each once and in order. `due`: how many entries it must have read. */
export function checkReader(reader: ReaderHistory, log: readonly LoggedEvent[], due = log.length): Finding[] {
  const expected = log.filter(({ type }) => type !== 'webhook.tested');
  const dueCount = log.slice(0, due).filter(({ type }) => type !== 'webhook.tested').length;
  const positions = new Map(expected.map(({ id }, i) => [id, i]));
  const problems: string[] = [];
  let next = 0;
  for (const event of reader.events) {
    const position = positions.get(event.id);
    const about = `${event.type} ${event.id}`;
    const found = position === undefined ? undefined : expected[position];
    if (position === undefined || found === undefined) {
      problems.push(`foreign: ${about} is not in the audit trail of the team`);
      continue;
    }
    problems.push(...differences(event, found));
    if (position < next) problems.push(`reordered: ${about} was read again, or too late`);
    for (; next < position; next += 1)
      problems.push(`lost: ${expected[next]?.type} ${expected[next]?.id} was not read`);
    next = Math.max(next, position + 1);
  }
  for (; next < dueCount; next += 1) problems.push(`lost: ${expected[next]?.type} ${expected[next]?.id} was not read`);
  return problems.map((problem) => ({ at: reader.name, problem }));
}

/** The audit trail has the changes of keys that were answered, in order and as requested, and those without an answer whole or not at all. */
export function checkLog(ledger: Ledger, log: readonly LoggedEvent[]): Finding[] {
  const entries = log.flatMap(({ id, type, subject, timestamp, data }, revision) => {
    const { actor, actorKind, changes = [] } = data;
    if (data.key === null || actorKind === 'SYSTEM') return [];
    const lists = { added: null, removed: null };
    return {
      ...{ id, revision, keyId: subject, actor: String(actor), at: timestamp },
      action: type.toUpperCase().replace('.', '_'),
      changes: changes.map(({ field, before, after, ...rest }) => ({ field, before, after, ...lists, ...rest })),
    };
  });
  return settle(ledger, entries).violations.map((problem) => ({ at: ledger.teamId, problem }));
}

export interface RevokeLatency {
  /** From the answer of the revoke to the arrival of its event, in milliseconds; negative if the event came first. */
  readonly ms: number;
  readonly answered: number;
  readonly arrived: number;
}

/** Of the answered revokes, at an endpoint that gets all events of their team. Infinite for one that never arrived. */
export function revokeLatencies(
  changes: readonly Operation[],
  log: readonly LoggedEvent[],
  { arrivals }: Pick<EndpointHistory, 'arrivals'>,
): RevokeLatency[] {
  const first = new Map<string, number>();
  for (const { id, at } of arrivals) if (!first.has(id)) first.set(id, at);
  const revokes = new Map(log.filter(({ type }) => type === 'key.revoked').map(({ subject, id }) => [subject, id]));
  return changes.flatMap(({ name, keyId, answer }) => {
    if (name !== 'revoke' || answer === null) return [];
    const arrived = first.get(revokes.get(keyId ?? '') ?? '') ?? Number.POSITIVE_INFINITY;
    return [{ ms: arrived - answer.ended, answered: answer.ended, arrived }];
  });
}
