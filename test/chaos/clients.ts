/** Clients that change keys continuously, each on its own connections, and record everything in a ledger. */

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../harness/client.ts';
import { anyChange, type ChosenChange, sources, usefulChange } from '../harness/key-choices.ts';
import { historyState, type KeyState, newKey, outcomeOf } from '../harness/key-model.ts';
import type { Random } from '../harness/random.ts';
import type { Recording } from '../proof/history/recording.ts';
import { importing, sessionToken } from '../support/service.ts';
import { callFor, fenceCall, readAnswer, verifyBody } from './calls.ts';
import { type Answer, type Ledger, type Operation, transports } from './ledger.ts';
import { Key } from './pool.ts';
import type { Verifiers } from './verifiers.ts';

export interface ManagementPort {
  readonly at: string;
  readonly port: number;
  /** Whether it has a process that is stopped right now. */
  readonly isStopped: () => boolean;
}

interface ClientOptions {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly ports: readonly ManagementPort[];
  /** How many keys there should be, and how often another one is created. */
  readonly keys: number;
  readonly createShare: number;
  /** On average, between two changes, and after one without an answer. */
  readonly pauseMs: number;
  readonly retryMs: number;
  /** How long after its change a key expires. */
  readonly expiresInMs: readonly [least: number, most: number];
  /** Whether calls may stay without an answer. */
  readonly outages: boolean;
  /**
   * Where signed verifications are sent, so that their signatures are used. Then several clients may change one key at the
   * same time, and also request what must be rejected. Null: one client at a time changes a key.
   */
  readonly sharedAt: number | null;
  /** Gets each change and the verifications around it, for the checker of histories. Needs one client for each key. */
  readonly witness?: { readonly recording: Recording; readonly verifiers: Verifiers };
}

/** Of the iterations with a shared key, those that verify it. */
const signShare = 0.06;

export class KeyClient {
  readonly #options: ClientOptions;
  readonly #ports: readonly (ManagementPort & { readonly client: Client })[];
  readonly #verification: Client | null;
  #running = true;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#ports = options.ports.map((port) => ({ ...port, client: new Client(port.port) }));
    this.#verification = options.sharedAt === null ? null : new Client(options.sharedAt);
  }

  async run(): Promise<void> {
    const { random, pauseMs } = this.#options;
    while (this.#running) {
      await this.#next();
      if (pauseMs > 0) await pause(random.between(0, 2 * pauseMs));
    }
    for (const { client } of this.#ports) client.close();
    this.#verification?.close();
  }

  /** Running calls are still answered. */
  stop(): void {
    this.#running = false;
  }

  async #next(): Promise<void> {
    const { random, ledger, keys, createShare } = this.#options;
    const isNew = ledger.pool.size < keys || random.chance(createShare);
    const verification = this.#verification;
    const key = isNew ? null : verification === null ? ledger.pool.take() : ledger.pool.share();
    if (key === null) await this.create();
    else if (verification === null) await this.#changeAlone(key);
    else if (random.chance(signShare)) await this.#spendSignature(verification, key);
    else await this.#changeShared(key);
  }

  async create(): Promise<void> {
    const { ledger, random, outages, witness } = this.#options;
    const isImported = random.chance(0.3);
    const state = newKey(this.#newName(), random.pick(['live', 'test']), '', null);
    const change = { kind: isImported ? 'importKeys' : 'createKey', name: state.name, env: state.env } as const;
    const imported = isImported ? `sk-${randomBytes(24).toString('base64url')}` : undefined;
    const label = ledger.pool.nextLabel();
    const recorded = witness?.recording.change(label, 'create', historyState(state));
    const { answer, actor } = await this.#call(null, { name: 'create', change }, imported);
    if (answer === null && !outages) ledger.strange.push('a creation was not answered');
    if (answer !== null && answer.rejection !== null) ledger.strange.push(`a creation got ${answer.rejection}`);
    if (answer?.secret === undefined || answer.rejection !== null) return;
    if (recorded !== undefined) witness?.recording.changed(recorded);
    const key = new Key(label, String(answer.shown.id), answer.secret, actor, {
      ...state,
      prefix: String(answer.shown.prefix),
    });
    ledger.pool.add(key);
    await witness?.verifiers.salvo(key);
  }

  async #changeShared(key: Key): Promise<void> {
    const chosen = anyChange(key.state, this.#context);
    const { answer } = await this.#call(key, chosen);
    if (answer === null || answer.rejection !== null) return;
    const after = this.#after(key, chosen);
    if (after !== null) this.#note(key, after, answer);
  }

  async #changeAlone(key: Key): Promise<void> {
    const { ledger, random, witness } = this.#options;
    const { pool, strange } = ledger;
    const chosen = usefulChange(key.state, this.#context, { fences: witness !== undefined });
    const before = key.state;
    const after = this.#after(key, chosen);
    if (after === null) throw new Error(`"${chosen.name}" changes nothing`);
    const turn = random.whole(0, 5);
    // So that every cache holds the old state.
    await witness?.verifiers.salvo(key, turn);
    key.state = after;
    const recorded = witness?.recording.change(key.label, chosen.name, historyState(after));
    const { answer } = await this.#call(key, chosen);
    if (answer === null) {
      // The change may have been made or not, so that the state of the key is unknown. But once a verdict has shown it,
      // no later one may miss it.
      await witness?.verifiers.salvo(key, turn);
      return pool.retire(key);
    }
    if (answer.rejection !== null) {
      if (recorded !== undefined) witness?.recording.rejected(recorded);
      key.state = before;
      // An expiry may have passed on its way.
      if (chosen.name !== 'expire') strange.push(`${chosen.name} got ${answer.rejection}`);
      return pool.putBack(key);
    }
    if (recorded !== undefined) witness?.recording.changed(recorded);
    if (chosen.change.kind === 'freezeKeys') key.fenceId = String(answer.shown.id);
    this.#note(key, after, answer);
    await witness?.verifiers.salvo(key, turn);
    if (chosen.name === 'expire') await this.#watchExpire(key, turn);
    if (after.revokedAt !== null) pool.retire(key);
    else pool.putBack(key);
  }

  /** Its expiry is the other moment at which the state of a key changes. */
  async #watchExpire(key: Key, turn: number): Promise<void> {
    const expiresAt = Date.parse(key.state.expiresAt ?? '');
    while (Date.now() <= expiresAt) await pause(expiresAt + 1 - Date.now());
    await this.#options.witness?.verifiers.salvo(key, turn);
  }

  get #context() {
    const { random, expiresInMs } = this.#options;
    return { random, expiresInMs, now: Date.now(), newName: () => this.#newName() };
  }

  /** The state after a change by the client's own clock; null if it changes nothing or must be rejected. */
  #after({ state }: Key, { change }: ChosenChange): KeyState | null {
    const outcome = outcomeOf(state, change, { actor: null, at: new Date().toISOString(), prefix: '' });
    return outcome.kind === 'changed' ? outcome.after : null;
  }

  #note(key: Key, after: KeyState, { secret, signingSecret }: Answer): void {
    key.state = after;
    if (secret !== undefined) key.secrets.push(secret);
    if (signingSecret !== undefined) key.signingSecrets.push(signingSecret);
  }

  async #call(key: Key | null, { name, change }: ChosenChange, imported?: string): Promise<Operation> {
    const { ledger, random, retryMs } = this.#options;
    const running = this.#ports.filter(({ isStopped }) => !isStopped());
    const { at, client } = random.pick(running.length > 0 && random.chance(0.95) ? running : this.#ports);
    const actor = ledger.nextActor();
    const token = sessionToken({ [ledger.teamId]: importing }, actor);
    const keyId = key?.id ?? null;
    const isOfFence = change.kind === 'freezeKeys' || change.kind === 'unfreezeKeys';
    const transport = isOfFence ? 'REST' : change.kind === 'importKeys' ? 'GraphQL' : random.pick(transports);
    const call =
      isOfFence && key !== null
        ? fenceCall(ledger.teamId, key.creator, change.kind === 'freezeKeys' ? null : key.fenceId)
        : callFor(transport, ledger.teamId, keyId, change, imported);
    const started = performance.now();
    const operation: Operation = {
      ...{ actor, transport, name, change, keyId, at, started },
      ...{ ended: null, answer: null, revision: null },
    };
    ledger.operations.set(actor, operation);
    const reply = await client.call({ ...call, token });
    if (reply !== null) {
      operation.ended = reply.ended;
      operation.revision = reply.headers['latchkey-revision']?.toString() ?? null;
      try {
        const answer = readAnswer(call.path, reply);
        operation.answer = answer === null || imported === undefined ? answer : { ...answer, secret: imported };
      } catch (error) {
        const answer = `${reply.status} ${reply.text.slice(0, 300)}`;
        ledger.strange.push(`${name} was answered ${answer}: ${String(error)}`);
      }
    }
    if (operation.answer === null) await pause(random.between(0, 2 * retryMs));
    else ledger.noteAnswer();
    return operation;
  }

  async #spendSignature(client: Client, key: Key): Promise<void> {
    const { ledger, retryMs } = this.#options;
    const [secret, signingSecret] = [key.secrets.at(-1), key.signingSecrets.at(-1)];
    if (secret === undefined || signingSecret === undefined) return;
    const presented = { id: key.id, secrets: [secret], signingSecrets: [signingSecret] };
    const call = verifyBody(presented, { secret: 0, scopes: [], env: null, source: sources.tight, signedWith: 0 });
    const reply = await client.call({ method: 'POST', path: '/v1/verify', body: call });
    if (reply?.status !== 200) await pause(retryMs);
    else if (JSON.parse(reply.text).code === 'VALID')
      ledger.usedSignatures.push({ call, keyId: key.id, secret, signingSecret });
  }

  #newName(): string {
    return `Key ${Math.floor(this.#options.random.next() * 2 ** 48).toString(36)}`;
  }
}
