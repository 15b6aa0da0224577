/** Clients that change keys continuously, each on its own connections, and record everything. */
import { signRequest } from '../../../src/client/sign.ts';
import { Client } from '../../load/client.ts';
import type { Random } from '../../load/random.ts';
import { pause } from '../../load/schedule.ts';
import type { Server } from '../../load/server.ts';
import { both, sessionToken } from '../../support/service.ts';
import { callFor, readAnswer, transports } from './calls.ts';
import type { Handle, Ledger, Operation } from './ledger.ts';
import type { Change } from './model.ts';

const weights = {
  create: 3,
  update: 4,
  revoke: 1,
  enable: 2,
  rotate: 1.5,
  disable: 1,
  rotateKey: 2,
  endOverlap: 0.7,
  disableKey: 0.7,
  enableKey: 1.5,
  sign: 1,
} as const;
/** This many of the newest keys are changed as often as all older ones together. */
const youngKeys = 30;

export class Clients {
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #server: Server;
  #running = true;
  #finished: Promise<unknown> = Promise.resolve();

  constructor(ledger: Ledger, server: Server, random: Random) {
    this.#ledger = ledger;
    this.#server = server;
    this.#random = random;
  }

  start(count: number): void {
    this.#finished = Promise.all(Array.from({ length: count }, () => this.#run()));
  }

  /** Waits for pending answers. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#finished;
  }

  async #run(): Promise<void> {
    const management = new Client(this.#server.port);
    const verification = new Client(this.#server.verifyPort);
    while (this.#running) {
      const key = this.#chooseKey();
      const kind = key === null ? 'create' : this.#random.pickWeighted(weights);
      const answered =
        kind === 'sign' ? await this.#verifySigned(verification, key) : await this.#change(management, kind, key);
      // The service is down, or cannot answer now.
      if (!answered) await pause(10);
    }
    management.close();
    verification.close();
  }

  #chooseKey(): Handle | null {
    const { handles } = this.#ledger;
    if (handles.length === 0) return null;
    return this.#random.pick(this.#random.chance(0.5) ? handles.slice(-youngKeys) : handles);
  }

  async #change(client: Client, kind: Change['kind'], key: Handle | null): Promise<boolean> {
    const ledger = this.#ledger;
    const change = this.#randomChange(kind);
    const keyId = change.kind === 'create' ? null : (key?.id ?? null);
    const transport = this.#random.pick(transports);
    const actor = ledger.nextActor();
    const token = sessionToken({ [ledger.teamId]: both }, actor);
    const operation: Operation = { actor, transport, change, keyId, started: performance.now(), answer: null };
    ledger.operations.set(actor, operation);
    const reply = await client.call({ ...callFor(transport, ledger.teamId, keyId, change), token });
    if (reply === null) return false;
    try {
      operation.answer = readAnswer(transport, reply);
    } catch (error) {
      ledger.strange.push(`${kind}: ${reply.status} ${reply.text.slice(0, 200)}: ${String(error)}`);
    }
    this.#note(operation, key);
    return operation.answer !== null;
  }

  #note({ answer, change }: Operation, key: Handle | null): void {
    if (answer === null) return;
    this.#ledger.noteAnswer();
    const { id } = answer.shown;
    const { secret, signingSecret = null } = answer;
    if (change.kind === 'create' && typeof id === 'string' && secret !== undefined) {
      this.#ledger.handles.push({ id, secret, signingSecret: null });
    } else if (key !== null && answer.rejection === null && ['enable', 'rotate', 'disable'].includes(change.kind)) {
      key.signingSecret = signingSecret;
    } else if (key !== null && change.kind === 'rotateKey' && secret !== undefined) {
      key.secret = secret;
    }
  }

  /** Each update has a value that no key ever had: otherwise an update without a change could not be detected. */
  #randomChange(kind: Change['kind']): Change {
    const random = this.#random;
    const name = `key ${Math.floor(random.next() * 2 ** 48).toString(36)}`;
    // Later than the end of any overlap, which would end with the key.
    const expiresAt = () => new Date(Date.now() + random.whole(7_200_000, 360_000_000_000)).toISOString();
    if (kind === 'create') {
      const env = random.pick(['live', 'test'] as const);
      return random.chance(0.3) ? { kind, name, env, expiresAt: expiresAt() } : { kind, name, env };
    }
    if (kind === 'rotateKey') return { kind, overlapSeconds: random.pick([0, 3600]) };
    if (kind !== 'update') return { kind };
    const only = random.pick(['name', 'expiresAt', 'allowedIps', 'scopes', 'all', 'opened'] as const);
    const source = `10.${random.whole(0, 255)}.${random.whole(0, 255)}.${random.whole(0, 255)}`;
    return {
      kind,
      fields: {
        ...(only === 'expiresAt' || only === 'allowedIps' ? {} : { name }),
        ...(only === 'expiresAt' || only === 'all' ? { expiresAt: expiresAt() } : {}),
        ...(only === 'allowedIps' || only === 'all' ? { allowedIps: [source, `2001:db8::/32 # of ${name}`] } : {}),
        ...(only === 'scopes' ? { scopes: [`scope-of-${name.replaceAll(' ', '-')}`] } : {}),
        ...(only === 'opened' ? { allowedIps: [], expiresAt: null } : {}),
      },
    };
  }

  async #verifySigned(client: Client, key: Handle | null): Promise<boolean> {
    if (key?.signingSecret == null || key.secret === null) return true;
    const signed = { method: 'GET', url: 'https://api.example.com/orders' };
    const { secret, signingSecret } = key;
    const headers = signRequest(signed, { keyId: key.id, signingSecret, expiresInSeconds: 300 });
    // The first source of every allow-list differs; this network is on all of them.
    const body = JSON.stringify({ key: secret, sourceIp: '2001:db8::1', request: { ...signed, headers } });
    const reply = await client.call({ method: 'POST', path: '/v1/verify', body });
    if (reply === null || reply.status !== 200) return false;
    if (JSON.parse(reply.text).code === 'VALID')
      this.#ledger.usedSignatures.push({ call: body, keyId: key.id, secret, signingSecret });
    return true;
  }
}
