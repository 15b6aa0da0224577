/** The endpoints of a team, whose receivers are healthy or troubled, and the calls that manage them. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../../harness/client.ts';
import { random } from '../../../harness/random.ts';
import { type Behavior, Receiver } from '../../../harness/webhook-receiver.ts';
import { sessionToken } from '../../../support/service.ts';
import type { ManagementPort } from '../../clients.ts';
import type { EndpointHistory } from './history.ts';

/** For slow endpoints, which could not take all events as fast as they happen. */
const fewTypes = ['key.created', 'key.imported', 'key.rotated', 'key.revoked', 'webhook.enabled'];

interface Trouble {
  readonly name: string;
  readonly types?: readonly string[];
  readonly signature?: 'V1' | 'V1A';
  readonly behavior: Behavior;
}

const atFirst =
  (share: number, answer: Awaited<ReturnType<Behavior>>): Behavior =>
  ({ attempt }) =>
    attempt === 1 && random.chance(share) ? answer : 204;

/** A request that hangs occupies one of two places for 15 s. */
const hangs: Behavior = ({ attempt, events }) => (attempt === 1 && events % 150 === 75 ? 'hang' : 204);

const slow: Behavior = async () => {
  await pause(random.between(50, 250));
  return 204;
};

/** The second attempt of an event always succeeds, since the third one is due after five minutes. */
const kinds: readonly Trouble[] = [
  { name: 'healthy', behavior: () => 204 },
  { name: 'fails', behavior: atFirst(0.1, 500) },
  { name: 'hangs', behavior: hangs },
  // Answers 410 after each 100 events, and is enabled again.
  { name: 'gone', behavior: ({ attempt, events }) => (attempt === 1 && events % 100 === 50 ? 410 : 204) },
  { name: 'slow', types: fewTypes, behavior: slow },
  { name: 'breaks', types: fewTypes, behavior: atFirst(0.1, 'break') },
  { name: 'closes', signature: 'V1A', behavior: () => 'close' },
  // Refuses connections during faults.
  { name: 'restarts', behavior: () => 200 },
];

export interface Endpoint extends EndpointHistory {
  readonly kind: string;
  readonly receiver: Receiver;
}

/** A team with its endpoints. */
export class EventTeam {
  readonly name: string;
  readonly teamId: string;
  readonly token: string;
  readonly endpoints: Endpoint[] = [];
  readonly #ports: readonly (ManagementPort & { readonly client: Client })[];

  constructor(name: string, teamId: string, ports: readonly ManagementPort[]) {
    this.name = name;
    this.teamId = teamId;
    this.token = sessionToken({ [teamId]: ['view_team', 'manage_webhooks'] });
    this.#ports = ports.map((port) => ({ ...port, client: new Client(port.port) }));
  }

  readonly client = (): Client => {
    const running = this.#ports.filter(({ isStopped }) => !isStopped());
    return random.pick(running.length > 0 ? running : this.#ports).client;
  };

  async createEndpoints(): Promise<void> {
    for (const { name: kind, types = [], signature = 'V1', behavior } of kinds) {
      const receiver = await Receiver.start(behavior);
      const body = { teamId: this.teamId, url: receiver.url, types, signature };
      const { id, secret } = await this.call('POST', '/v1/webhooks', body);
      receiver.secrets.push(secret);
      const { teamId } = this;
      const { arrivals } = receiver;
      this.endpoints.push({ name: `${this.name}, ${kind}`, kind, webhookId: id, teamId, types, arrivals, receiver });
    }
  }

  /** Repeats a call until it succeeds. Returns the answer. */
  async call(method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
    for (let calls = 1; ; calls += 1) {
      const call = { method, path, token: this.token, ...(body && { body: JSON.stringify(body) }) };
      const reply = await this.client().call(call);
      if (reply !== null && reply.status < 300) return JSON.parse(reply.text);
      const isTemporary = reply === null || reply.status === 503 || reply.status === 429;
      if (!isTemporary || calls > 600) throw new Error(`${method} ${path}: ${reply?.status} ${reply?.text}`);
      await pause(200);
    }
  }

  async disabledReasons(): Promise<ReadonlyMap<string, string | null>> {
    const webhooks: readonly { readonly id: string; readonly disabledReason: string | null }[] = await this.call(
      'GET',
      `/v1/webhooks?teamId=${this.teamId}`,
    );
    return new Map(webhooks.map(({ id, disabledReason }) => [id, disabledReason]));
  }

  async setEnabled({ webhookId }: Endpoint, enabled: boolean): Promise<void> {
    await this.call('PATCH', `/v1/webhooks/${webhookId}`, { enabled });
  }

  /** Makes due what waits for its next attempt, which can be in hours. */
  async nudge(endpoint: Endpoint): Promise<void> {
    await this.setEnabled(endpoint, false);
    await this.setEnabled(endpoint, true);
  }

  async rotateSecret({ webhookId, receiver }: Endpoint): Promise<void> {
    const { secret } = await this.call('POST', `/v1/webhooks/${webhookId}/rotate-secret`, { overlapSeconds: 3600 });
    receiver.secrets.push(secret);
  }

  async replay({ webhookId }: Endpoint, eventIds: readonly string[]): Promise<void> {
    await this.call('POST', `/v1/webhooks/${webhookId}/replay`, { eventIds });
  }

  async close(): Promise<void> {
    for (const { receiver } of this.endpoints) await receiver.refuse();
    for (const { client } of this.#ports) client.close();
  }
}
