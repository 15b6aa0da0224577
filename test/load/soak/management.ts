/** Management calls as of dashboards and scripts. As many keys are revoked as are created. */
import { randomUUID } from 'node:crypto';
import type { Call, Client } from '../../harness/client.ts';
import { random } from '../../harness/random.ts';
import type { SoakKeys } from './keys.ts';

/** The share of each call, in percent. */
const mix = {
  turnover: 30,
  list: 12,
  update: 14,
  sign: 8,
  page: 10,
  trail: 6,
  usage: 6,
  badToken: 5,
  malformed: 5,
  unknown: 2,
  abandoned: 2,
};
/** The share of calls that close their connection. */
const churn = 0.1;

interface Task {
  readonly call: Call;
  readonly statuses: readonly number[];
  readonly use?: (body: ReturnType<typeof JSON.parse>) => void;
}

export function management(client: Client, keys: SoakKeys): () => Promise<string | null> | null {
  const { team, token } = keys;
  const keptKeys = keys.passing.length;
  const call = (method: string, path: string, body?: unknown): Call => ({
    method,
    path,
    token,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const ok = (asked: Call): Task => ({ call: asked, statuses: [200] });
  const read = (query: string, variables: object) => ok(call('POST', '/graphql', { query, variables }));
  const create = call('POST', '/v1/keys', { teamId: team, name: 'A key that passes', env: 'test' });

  const tasks = {
    turnover: (): Task => {
      const oldest = keys.passing.length > keptKeys ? keys.passing.shift() : undefined;
      if (oldest !== undefined) return ok(call('DELETE', `/v1/keys/${oldest.id}`));
      return { call: create, statuses: [201], use: (key) => keys.passing.push(key) };
    },
    list: () => ok(call('GET', `/v1/keys?teamId=${team}&limit=50`)),
    update: () => ok(call('PATCH', `/v1/keys/${random.pick(keys.hot).id}`, { name: `Renamed ${randomUUID()}` })),
    // The key may already be revoked, or have signing enabled.
    sign: (): Task => ({
      call: call('POST', `/v1/keys/${random.pick(keys.passing).id}/signing/enable`),
      statuses: [200, 409],
    }),
    page: () => read(pageQuery, { team }),
    trail: () => read(trailQuery, { team }),
    usage: () => read(usageQuery, { key: random.pick(keys.hot).id, from: hoursFromNow(-2), to: hoursFromNow(2) }),
    badToken: (): Task => ({ call: { ...tasks.list().call, token: `${token}x` }, statuses: [401] }),
    malformed: (): Task => ({ call: { ...create, body: '{"teamId": ' }, statuses: [400] }),
    unknown: (): Task => ({ call: call('DELETE', `/v1/keys/${randomUUID()}`), statuses: [404] }),
  } satisfies Record<string, () => Task>;

  return () => {
    const kind = random.pickWeighted(mix);
    if (kind !== 'abandoned') return done(client, tasks[kind]());
    client.abandon(tasks.page().call, random.whole(0, 19));
    return null;
  };
}

/** Returns what is wrong with the answer, if anything. */
async function done(client: Client, { call, statuses, use }: Task): Promise<string | null> {
  const reply = await client.call(call, { close: random.chance(churn) });
  const hasErrors = call.path === '/graphql' && reply?.text.includes('"errors"') === true;
  if (reply !== null && statuses.includes(reply.status) && !hasErrors) {
    use?.(JSON.parse(reply.text));
    return null;
  }
  const received = reply === null ? 'no answer' : `${reply.status} ${reply.text.slice(0, 300)}`;
  return `${call.method} ${call.path.split('?', 1)[0]}: ${received} instead of ${statuses.join(' or ')}`;
}

function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}

const pageQuery =
  'query ($team: UUID!) { keys(teamId: $team, first: 50) { nodes { id name prefix state lastUsedAt } } }';
const trailQuery = `query ($team: UUID!) {
  auditLog(teamId: $team, first: 20) { nodes { id action actor changes { field before after } } }
}`;
const usageQuery = `query ($key: UUID!, $from: DateTime!, $to: DateTime!) {
  usage(keyId: $key, from: $from, to: $to) { hour code count }
}`;
