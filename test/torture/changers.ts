/** Change keys at random moments, each key by one changer at a time, through whichever instance is awake. */
import { randomBytes, randomUUID } from 'node:crypto';
import { importing as importer, sessionToken } from '../support/service.ts';
import { looseList, tightList } from './circumstances.ts';
import { type Call, Connection, isUnavailable, type Reply } from './connection.ts';
import type { Change, ChangeKind, KeyState, TimedCall } from './history.ts';
import { importing, minting } from './making.ts';
import { type Pool, TortureKey } from './pool.ts';
import { between, chance, pick, pickWeighted } from './random.ts';
import type { Verifiers } from './verifiers.ts';

export interface ManagementPort {
  readonly at: string;
  readonly port: number;
  /** Whether it has a process that is stopped right now. */
  readonly isStopped: () => boolean;
}

export interface ChangerOptions {
  readonly ports: readonly ManagementPort[];
  readonly pool: Pool;
  readonly verifiers: Verifiers;
  /** Of all keys: any changer may change any of them. */
  readonly teamId: string;
  readonly keys: number;
  readonly pauseMs: number;
  /** Whether the store is taken away now and then, so that a creation may get 503. */
  readonly outages: boolean;
}

/** After an unexpected answer to a change, the state of its key is unknown, and the key is no longer used. */
const restMs = 300;

interface Step {
  readonly call: Call;
  readonly after: KeyState;
}

export class Changer {
  /** Answers to changes that should have succeeded, up to a few. */
  readonly unexpected: string[] = [];
  readonly calls: TimedCall[] = [];
  /** Creations that got 503, or no answer, because the store did not answer. */
  unavailableCreations = 0;
  readonly #options: ChangerOptions;
  readonly #connections: readonly (ManagementPort & { readonly connection: Connection })[];
  readonly #label = randomUUID().slice(0, 8);
  readonly #token: string;
  #names = 0;
  #running = true;

  constructor(options: ChangerOptions) {
    this.#options = options;
    this.#token = sessionToken({ [options.teamId]: importer });
    this.#connections = options.ports.map((port) => ({ ...port, connection: new Connection(port.at, port.port) }));
  }

  async run(): Promise<void> {
    const { pool, pauseMs } = this.#options;
    while (this.#running) {
      const key = pool.size < this.#options.keys || chance(0.03) ? null : pool.take();
      if (key === null) await this.create();
      else await this.#change(key);
      await new Promise((resolve) => setTimeout(resolve, between(0, 2 * pauseMs)));
    }
    for (const { connection } of this.#connections) connection.close();
  }

  stop(): void {
    this.#running = false;
  }

  async create(): Promise<void> {
    const env = pick(['live', 'test'] as const);
    const after: KeyState = { name: this.#newName(), env, revoked: false, expiresAt: null, allowed: [], signing: null };
    const making = chance(0.3) ? importing : minting;
    const secret = `sk-${randomBytes(24).toString('base64url')}`;
    const reply = await this.#call(making.call(this.#options.teamId, after, secret));
    // No answer: a connection that was idle for long may be closed by the server just when it is used again.
    if (this.#options.outages && (reply === null || making.isUnavailable(reply))) {
      this.unavailableCreations += 1;
      return;
    }
    const made = reply === null ? null : making.made(reply, secret);
    if (reply === null || made === null) return this.#note('create', reply);
    const { started: asked, ended: answered } = reply;
    const key = new TortureKey(made.id, made.secret, made.prefix, { kind: 'create', asked, answered, after });
    this.#options.pool.add(key);
    await this.#options.verifiers.salvo(key);
  }

  async #change(key: TortureKey): Promise<void> {
    const { pool, verifiers } = this.#options;
    const kind = pickWeighted(weightsOf(key.state));
    const { call, after } = this.#step(key, kind);
    const turn = Math.floor(between(0, 4));
    // So that every cache holds the old state.
    await verifiers.salvo(key, turn);
    const asked = performance.now();
    const change: Change = { kind, asked, answered: null, after };
    key.changes.push(change);
    const reply = await this.#call(call);
    if (reply === null || reply.status >= 500) {
      if (reply !== null && !isUnavailable(reply)) this.#note(kind, reply);
      // It may have happened or not, but no verdict may see it appear and disappear.
      await verifiers.salvo(key, turn);
      return pool.retire(key);
    }
    if (reply.status >= 400) {
      // Nothing was changed. An expiry may have passed on its way.
      key.changes.pop();
      if (kind !== 'expire') this.#note(kind, reply);
      return pool.putBack(key);
    }
    key.changes[key.changes.length - 1] = { ...change, answered: reply.ended };
    if (kind === 'enable signing' || kind === 'rotate') key.signingSecrets.push(JSON.parse(reply.text).signingSecret);
    await verifiers.salvo(key, turn);
    if (kind === 'expire') await this.#watchExpire(key, turn);
    if (after.revoked) pool.retire(key);
    else pool.putBack(key);
  }

  /** The other moment at which a state changes. */
  async #watchExpire(key: TortureKey, turn: number): Promise<void> {
    const { expiresAt } = key.state;
    if (expiresAt === null) return;
    while (Date.now() < expiresAt) await new Promise((resolve) => setTimeout(resolve, expiresAt - Date.now()));
    await this.#options.verifiers.salvo(key, turn);
  }

  #step({ id, state, signingSecrets }: TortureKey, kind: Exclude<ChangeKind, 'create'>): Step {
    const path = `/v1/keys/${id}`;
    const patch = (fields: Partial<Pick<KeyState, 'name' | 'allowed' | 'expiresAt'>>): Step => ({
      call: { method: 'PATCH', path, body: patchBody(fields) },
      after: { ...state, ...fields },
    });
    const sign = (action: string, signing: number | null): Step => ({
      call: { method: 'POST', path: `${path}/signing/${action}` },
      after: { ...state, signing },
    });
    switch (kind) {
      case 'rename':
        return patch({ name: this.#newName() });
      case 'tighten':
        return patch({ allowed: state.allowed.length === 0 && chance(0.3) ? looseList : tightList });
      case 'loosen':
        return patch({ allowed: state.allowed.length === 1 && chance(0.5) ? looseList : [] });
      case 'expire':
        return patch({ expiresAt: Date.now() + Math.round(between(30, 200)) });
      case 'renew':
        return patch({ expiresAt: null });
      case 'enable signing':
        return sign('enable', signingSecrets.length);
      case 'rotate':
        return sign('rotate', signingSecrets.length);
      case 'disable signing':
        return sign('disable', null);
      case 'revoke':
        return { call: { method: 'DELETE', path }, after: { ...state, revoked: true } };
    }
  }

  async #call(call: Call): Promise<Reply | null> {
    const awake = this.#connections.filter(({ isStopped }) => !isStopped());
    const { connection } = pick(awake.length > 0 && chance(0.95) ? awake : this.#connections);
    const reply = await connection.call({ ...call, token: this.#token });
    if (reply !== null) this.calls.push({ at: connection.at, started: reply.started, ended: reply.ended });
    if (reply?.status === 503) await new Promise((resolve) => setTimeout(resolve, between(0, 2 * restMs)));
    return reply;
  }

  #note(kind: ChangeKind, reply: Reply | null): void {
    const answer = reply === null ? 'not answered' : `${reply.status}: ${reply.text.slice(0, 300)}`;
    if (this.unexpected.length < 10) this.unexpected.push(`${kind} ${answer}`);
  }

  /** Names are never used twice, so that a verdict's name tells which state it was decided on. */
  #newName(): string {
    this.#names += 1;
    return `Key ${this.#label}-${this.#names}`;
  }
}

function weightsOf({ allowed, expiresAt, signing }: KeyState): Partial<Record<Exclude<ChangeKind, 'create'>, number>> {
  // An expired key shows nothing of other changes.
  if (expiresAt !== null) return { renew: 8, rename: 1, revoke: 1 };
  return {
    rename: 2,
    ...(allowed.length === 1 ? {} : { tighten: 4 }),
    ...(allowed.length === 0 ? {} : { loosen: 5 }),
    expire: 2,
    ...(signing === null ? { 'enable signing': 4 } : { rotate: 4, 'disable signing': 3 }),
    revoke: 2,
  };
}

function patchBody({ name, allowed, expiresAt }: Partial<Pick<KeyState, 'name' | 'allowed' | 'expiresAt'>>): string {
  return JSON.stringify({
    ...(name === undefined ? {} : { name }),
    ...(allowed === undefined ? {} : { allowedIps: allowed }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() }),
  });
}
