/** Changes keys at random times, each key by one changer at a time, through an instance that is not stopped. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type Call, Client, isUnavailable, type Reply } from '../../load/client.ts';
import { random } from '../../load/random.ts';
import { pause } from '../../load/schedule.ts';
import type { KeyState } from '../../proof/history/format.ts';
import { newKey } from '../../proof/history/new-key.ts';
import type { Recording } from '../../proof/history/recording.ts';
import { importing as importer, sessionToken } from '../../support/service.ts';
import { importing, minting } from './making.ts';
import { type Pool, TortureKey } from './pool.ts';
import type { Change, ChangeKind, TimedCall } from './records.ts';
import { stepOf, weightsOf } from './steps.ts';
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
  readonly recording: Recording;
  readonly verifiers: Verifiers;
  /** The changers of all keys. Each of them can change any key. */
  readonly teamId: string;
  readonly keys: number;
  readonly pauseMs: number;
  /** Whether the store is interrupted during the run, so that a creation may get 503. */
  readonly outages: boolean;
}

/** Before the next call after a 503, on average. */
const retryMs = 300;

export class Changer {
  /** Answers to changes that should have succeeded, up to a few. */
  readonly unexpected: string[] = [];
  readonly calls: TimedCall[] = [];
  /** Creations that got 503, or no answer, because the store did not answer. */
  unavailableCreations = 0;
  readonly #options: ChangerOptions;
  readonly #ports: readonly (ManagementPort & { readonly client: Client })[];
  readonly #label = randomUUID().slice(0, 8);
  readonly #token: string;
  #names = 0;
  #running = true;

  constructor(options: ChangerOptions) {
    this.#options = options;
    this.#token = sessionToken({ [options.teamId]: importer });
    this.#ports = options.ports.map((port) => ({ ...port, client: new Client(port.port) }));
  }

  async run(): Promise<void> {
    const { pool, pauseMs } = this.#options;
    while (this.#running) {
      const key = pool.size < this.#options.keys || random.chance(0.03) ? null : pool.take();
      if (key === null) await this.create();
      else await this.#change(key);
      await pause(random.between(0, 2 * pauseMs));
    }
    for (const { client } of this.#ports) client.close();
  }

  stop(): void {
    this.#running = false;
  }

  async create(): Promise<void> {
    const env = random.pick(['live', 'test'] as const);
    const after: KeyState = { ...newKey, name: this.#newName(), env };
    const making = random.chance(0.3) ? importing : minting;
    const secret = `sk-${randomBytes(24).toString('base64url')}`;
    const { pool, recording } = this.#options;
    const label = pool.nextLabel();
    const creation = recording.change(label, 'create', after);
    const reply = await this.#call(making.call(this.#options.teamId, after, secret));
    // No answer: a connection that was idle for long may be closed by the server just when it is used again.
    if (this.#options.outages && (reply === null || making.isUnavailable(reply))) {
      this.unavailableCreations += 1;
      return;
    }
    const made = reply === null ? null : making.made(reply, secret);
    if (reply === null || made === null) return this.#note('create', reply);
    recording.changed(creation);
    const { started: requested, ended: answered } = reply;
    const key = new TortureKey(label, made.id, made.secret, made.prefix, {
      kind: 'create',
      requested,
      answered,
      after,
    });
    pool.add(key);
    await this.#options.verifiers.salvo(key);
  }

  async #change(key: TortureKey): Promise<void> {
    const { pool, verifiers, recording } = this.#options;
    const kind = random.pickWeighted(weightsOf(key.state));
    const { call, after } = stepOf(key, kind, () => this.#newName());
    const turn = random.whole(0, 5);
    // So that every cache holds the old state.
    await verifiers.salvo(key, turn);
    const requested = performance.now();
    const change: Change = { kind, requested, answered: null, after };
    key.changes.push(change);
    const recorded = recording.change(key.label, kind, after);
    const reply = await this.#call(call);
    if (reply === null || reply.status >= 500) {
      if (reply !== null && !isUnavailable(reply)) this.#note(kind, reply);
      // The change may have been made or not, so that the state of the key is unknown. But once a verdict has shown it,
      // no later one may miss it.
      await verifiers.salvo(key, turn);
      return pool.retire(key);
    }
    if (reply.status >= 400) {
      // Nothing was changed. An expiry may have passed on its way.
      recording.rejected(recorded);
      key.changes.pop();
      if (kind !== 'expire') this.#note(kind, reply);
      return pool.putBack(key);
    }
    recording.changed(recorded);
    key.changes[key.changes.length - 1] = { ...change, answered: reply.ended };
    const { secret, signingSecret } = JSON.parse(reply.text);
    if (kind === 'enable signing' || kind === 'rotate signing') key.signingSecrets.push(signingSecret);
    if (kind === 'rotate' || kind === 'rotate with overlap') key.secrets.push(secret);
    await verifiers.salvo(key, turn);
    if (kind === 'expire') await this.#watchExpire(key, turn);
    if (after.revoked) pool.retire(key);
    else pool.putBack(key);
  }

  /** Its expiry is the other moment at which the state of a key changes. */
  async #watchExpire(key: TortureKey, turn: number): Promise<void> {
    const { expiresAt } = key.state;
    if (expiresAt === null) return;
    while (Date.now() <= expiresAt) await pause(expiresAt + 1 - Date.now());
    await this.#options.verifiers.salvo(key, turn);
  }

  async #call(call: Call): Promise<Reply | null> {
    const running = this.#ports.filter(({ isStopped }) => !isStopped());
    const { at, client } = random.pick(running.length > 0 && random.chance(0.95) ? running : this.#ports);
    const reply = await client.call({ ...call, token: this.#token });
    if (reply !== null) this.calls.push({ at, started: reply.started, ended: reply.ended });
    if (reply?.status === 503) await pause(random.between(0, 2 * retryMs));
    return reply;
  }

  #note(kind: ChangeKind, reply: Reply | null): void {
    const answer = reply === null ? 'not answered' : `${reply.status}: ${reply.text.slice(0, 300)}`;
    if (this.unexpected.length < 10) this.unexpected.push(`${kind} ${answer}`);
  }

  /** Names are never used twice, so that the name in a verdict identifies the state that it is based on. */
  #newName(): string {
    this.#names += 1;
    return `Key ${this.#label}-${this.#names}`;
  }
}
