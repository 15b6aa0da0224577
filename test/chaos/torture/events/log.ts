/** The audit trail of a team, as events that must arrive. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../../harness/client.ts';
import type { LoggedChange, LoggedEvent } from './history.ts';

const query = `query ($teamId: UUID!, $after: String) {
  auditLog(teamId: $teamId, first: 200, after: $after) {
    nodes {
      id action keyId teamId actor actorKind source requestId at details
      changes { field before after added removed }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly keyId: string;
  readonly at: string;
  readonly changes: readonly (LoggedChange & { readonly added: unknown; readonly removed: unknown })[];
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly [other: string]: unknown;
}

/** Returns the audit trail of a team, the oldest event first. Retries until the service answers. */
export async function readLog(clients: () => Client, token: string, teamId: string): Promise<LoggedEvent[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  for (;;) {
    const body = JSON.stringify({ query, variables: { teamId, after } });
    const reply = await clients().call({ method: 'POST', path: '/graphql', token, body });
    const { data, errors } = reply === null ? { errors: undefined } : JSON.parse(reply.text);
    const page = data?.auditLog;
    if (page == null) {
      const code = errors?.[0]?.extensions?.code;
      const isTemporary = reply === null || reply.status >= 500 || code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
      if (!isTemporary) throw new Error(`the audit trail can't be read: ${reply.text.slice(0, 500)}`);
      await pause(200);
      continue;
    }
    entries.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return entries.reverse().map(eventOf);
    after = page.pageInfo.endCursor;
  }
}

function eventOf({ id, action, keyId, at, changes, details, ...by }: Entry): LoggedEvent {
  const type = action.toLowerCase().replace('_', '.');
  const isAboutKey = /^(key|overlap|signing)\./.test(type);
  return {
    id: `evt_${id}`,
    type,
    subject: keyId,
    timestamp: at,
    data: { ...by, key: isAboutKey ? { id: keyId } : null, changes: changes.map(withoutAbsentLists), ...details },
  };
}

/** GraphQL has null for lists that a change does not have. */
function withoutAbsentLists({ added, removed, ...change }: Entry['changes'][number]) {
  return added === null ? change : { ...change, added, removed };
}
