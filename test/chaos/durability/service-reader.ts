/** Reads keys, audit trail and verdicts from the restarted service. */

import { setTimeout as pause } from 'node:timers/promises';
import type { OpaqueRevisions } from '../../../src/domain/opaque-revisions.ts';
import { Client, isUnavailable, type Reply } from '../../harness/client.ts';
import { both, sessionToken } from '../../support/service.ts';
import { keyFields } from '../calls.ts';
import { readOpaqueRevisions } from '../evidence.ts';
import type { TrailEntry } from '../settle.ts';
import type { Place } from './stores.ts';

export interface ShownKey {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly env: string;
  readonly prefix: string;
  readonly state: string;
  readonly allowedIps: readonly string[];
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly disabledAt: string | null;
  readonly previousSecretExpiresAt: string | null;
  readonly signingEnabled: boolean;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

const trailPage = `query ($teamId: UUID!, $after: String) {
  auditLog(teamId: $teamId, first: 500, after: $after) {
    nodes { id action keyId actor at changes { field before after added removed } } pageInfo { hasNextPage endCursor }
  }
}`;

const keysPage = (count: number) => {
  const indexes = Array.from({ length: count }, (_, i) => i);
  const variables = indexes.map((i) => `$id${i}: UUID!`).join(', ');
  return `query (${variables}) { ${indexes.map((i) => `key${i}: key(id: $id${i}) { ${keyFields} teamId }`).join(' ')} }`;
};

/** As many as the limit on the cost of an operation allows. */
const keysAtOnce = 5;

export class ServiceReader {
  readonly #management: Client;
  readonly #verification: Client;
  readonly #teamId: string;
  readonly #databaseUrl: string;
  #revisions: OpaqueRevisions | null = null;

  constructor({ server, databaseUrl }: Place, teamId: string) {
    this.#management = new Client(server.port);
    this.#verification = new Client(server.verifyPort);
    this.#teamId = teamId;
    this.#databaseUrl = databaseUrl;
  }

  /** The entries after a revision, oldest first. */
  async trailSince(revision: number): Promise<TrailEntry[]> {
    this.#revisions ??= await readOpaqueRevisions(this.#databaseUrl);
    const revisions = this.#revisions;
    const entries: TrailEntry[] = [];
    let after: string | null = null;
    for (;;) {
      const { auditLog } = await this.#query(trailPage, { teamId: this.#teamId, after });
      const nodes: Omit<TrailEntry, 'revision'>[] = auditLog.nodes;
      const found = nodes.map((node) => ({ ...node, revision: Number(revisions.decode(node.id)) }));
      entries.push(...found.filter((entry) => entry.revision > revision));
      const isReached = found.some((entry) => entry.revision <= revision);
      if (isReached || !auditLog.pageInfo.hasNextPage) return entries.reverse();
      after = auditLog.pageInfo.endCursor;
    }
  }

  async keys(ids: readonly string[]): Promise<ShownKey[]> {
    const shown: ShownKey[] = [];
    for (let i = 0; i < ids.length; i += keysAtOnce) {
      const some = ids.slice(i, i + keysAtOnce);
      const variables = Object.fromEntries(some.map((id, index) => [`id${index}`, id]));
      const data: Record<string, ShownKey> = await this.#query(keysPage(some.length), variables);
      shown.push(...Object.values(data));
    }
    return shown;
  }

  /** The verdict on a call of `POST /v1/verify`. */
  async verify(call: string): Promise<Readonly<Record<string, unknown>>> {
    const reply = await untilAnswered(() =>
      this.#verification.call({ method: 'POST', path: '/v1/verify', body: call }),
    );
    if (reply?.status !== 200) throw new Error(`a verification was answered with ${reply?.status ?? 'nothing'}`);
    return JSON.parse(reply.text);
  }

  // The caller knows the shape of the answer.
  async #query(query: string, variables: object): Promise<ReturnType<typeof JSON.parse>> {
    const token = sessionToken({ [this.#teamId]: both }, 'reader');
    const body = JSON.stringify({ query, variables });
    const reply = await untilAnswered(() => this.#management.call({ method: 'POST', path: '/graphql', body, token }));
    const answer = reply === null ? null : JSON.parse(reply.text);
    if (answer?.data == null || answer.errors !== undefined) throw new Error(`a query was answered ${reply?.text}`);
    return answer.data;
  }

  close(): void {
    this.#management.close();
    this.#verification.close();
  }
}

/** Repeats a call for some seconds while the store of a busy machine does not answer in time. */
async function untilAnswered(call: () => Promise<Reply | null>): Promise<Reply | null> {
  for (let calls = 1; ; calls += 1) {
    const reply = await call();
    if (reply === null || !isUnavailable(reply) || calls === 50) return reply;
    await pause(100);
  }
}
