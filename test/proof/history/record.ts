/** Changes keys while it presents them to an HTTP endpoint, and records both. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Driver, KeyChange, ManagementApi } from './driver.ts';
import type { Circumstances, KeyState } from './format.ts';
import { newKey } from './new-key.ts';
import { Recording } from './recording.ts';

export interface Target {
  readonly api: ManagementApi;
  readonly driver: Driver;
  /** Gets the key in `Authorization: Bearer`. */
  readonly endpoint: URL;
  readonly isAccepted: (status: number) => boolean;
  /** Any other status is a failure, which says nothing about the key. */
  readonly isRejected: (status: number) => boolean;
}

export interface Plan {
  readonly seconds: number;
  /** How many keys are changed at a time. */
  readonly keys: number;
  /** On average, between two changes of a key. */
  readonly pauseMs: number;
}

interface LiveKey {
  readonly label: string;
  readonly id: string;
  readonly secret: string;
  state: KeyState;
}

const presentersPerKey = 2;
/** Between two requests of a presenter. */
const presentPauseMs = 5;
/** How many keys are still presented after their last change. */
const rememberedKeys = 30;
/** How often a key is disabled or enabled again before it is revoked. */
const changesPerKey = 6;

/** The circumstances of all requests: the key is presented, and nothing else about the request matters. */
const request: Circumstances = { secret: 0, scopes: [], env: null, source: null, signedWith: null };

export class Recorder {
  readonly recording = new Recording();
  /** The errors of changes, at most a few. */
  readonly errors: string[] = [];
  /** Requests with a verdict. */
  verdicts = 0;
  /** Requests without a verdict, because they failed or because of their status. */
  failures = 0;
  /** Why the first of them got no verdict. */
  firstFailure: string | null = null;
  readonly #target: Target;
  readonly #plan: Plan;
  readonly #live = new Set<LiveKey>();
  readonly #ended: LiveKey[] = [];
  readonly #unrevoked = new Set<string>();
  #labels = 0;
  #running = true;

  constructor(target: Target, plan: Plan) {
    this.#target = target;
    this.#plan = plan;
  }

  async run(): Promise<void> {
    const { keys, seconds } = this.#plan;
    const changing = Array.from({ length: keys }, () => this.#changeKeys());
    const presenting = Array.from({ length: keys * presentersPerKey }, () => this.#presentKeys());
    try {
      await Promise.race([pause(seconds * 1000), ...changing, ...presenting]);
    } finally {
      this.#running = false;
      await Promise.allSettled([...changing, ...presenting]);
      await this.#revokeAll();
    }
    await Promise.all([...changing, ...presenting]);
  }

  /** Not part of the history: no key is presented anymore, and the last change of some of them has no answer. */
  async #revokeAll(): Promise<void> {
    const { api, driver } = this.#target;
    const revoke = (id: string) => driver.revoke(api, id).catch((error: unknown) => this.#note('revoke', error));
    await Promise.all([...this.#unrevoked].map(revoke));
  }

  /** One key after the other, from its creation to its revocation. */
  async #changeKeys(): Promise<void> {
    while (this.#running) {
      const key = await this.#create();
      if (key === null) {
        await this.#pause();
        continue;
      }
      this.#live.add(key);
      await this.#changeUntilRevoked(key);
      this.#live.delete(key);
      this.#ended.push(key);
      if (this.#ended.length > rememberedKeys) this.#ended.shift();
    }
  }

  async #create(): Promise<LiveKey | null> {
    const { api, driver } = this.#target;
    this.#labels += 1;
    const label = `key ${this.#labels}`;
    const state: KeyState = { ...newKey, name: label, env: 'live' };
    const call = this.recording.change(label, 'create', state);
    const created = await driver.create(api, label).catch((error: unknown) => this.#note('create', error));
    if (created === null) return null;
    this.recording.changed(call);
    this.#unrevoked.add(created.id);
    return { label, ...created, state };
  }

  async #changeUntilRevoked(key: LiveKey): Promise<void> {
    const { disable, enable, revoke } = this.#target.driver;
    for (let i = 0; i < changesPerKey && disable !== undefined && enable !== undefined; i += 1) {
      const { disabled } = key.state;
      const isMade = disabled
        ? await this.#change(key, 'enable', enable, { disabled: false })
        : await this.#change(key, 'disable', disable, { disabled: true });
      if (!isMade || !this.#running) return;
    }
    if (await this.#change(key, 'revoke', revoke, { revoked: true })) this.#unrevoked.delete(key.id);
  }

  /** False without an answer: the state of the key is then unknown, so that it must not be changed again. */
  async #change(key: LiveKey, name: string, change: KeyChange, changed: Partial<KeyState>): Promise<boolean> {
    await this.#pause();
    // So that every cache has the old state, and must drop it.
    await this.#present(key);
    key.state = { ...key.state, ...changed };
    const call = this.recording.change(key.label, name, key.state);
    const isMade = await change(this.#target.api, key.id).then(
      () => true,
      (error: unknown) => this.#note(name, error) !== null,
    );
    if (isMade) this.recording.changed(call);
    await this.#present(key);
    return isMade;
  }

  async #presentKeys(): Promise<void> {
    while (this.#running) {
      const keys = [...this.#live, ...this.#ended];
      const key = keys[Math.floor(Math.random() * keys.length)];
      if (key !== undefined) await this.#present(key);
      await pause(presentPauseMs);
    }
  }

  async #present({ label, secret }: LiveKey): Promise<void> {
    const call = this.recording.verify(label, request, this.#target.endpoint.host);
    const accepted = await this.#isAccepted(secret).catch((error: unknown) => messageOf(error));
    if (typeof accepted === 'boolean') {
      this.recording.verified(call, { accepted });
      this.verdicts += 1;
    } else {
      this.recording.verified(call);
      this.failures += 1;
      this.firstFailure ??= accepted;
    }
  }

  async #isAccepted(secret: string): Promise<boolean> {
    const { api, driver, endpoint, isAccepted, isRejected } = this.#target;
    if (driver.verify !== undefined) return await driver.verify(api, secret);
    const status = await statusOf(endpoint, secret);
    if (!isAccepted(status) && !isRejected(status)) throw new Error(`status ${status}`);
    return isAccepted(status);
  }

  async #pause(): Promise<void> {
    await pause(Math.random() * 2 * this.#plan.pauseMs);
  }

  #note(change: string, error: unknown): null {
    if (this.errors.length < 10) this.errors.push(`${change}: ${messageOf(error)}`);
    return null;
  }
}

const requestTimeoutMs = 10_000;

async function statusOf(endpoint: URL, secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}` };
  // A redirect is an answer: the page that it leads to, such as a login page, says nothing about the key.
  const signal = AbortSignal.timeout(requestTimeoutMs);
  const response = await fetch(endpoint, { headers, redirect: 'manual', signal });
  await response.arrayBuffer();
  return response.status;
}

/** With the causes: that of "fetch failed" says why. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node.js gives an error without a message if it tried several addresses.
  const message = error.message || ('code' in error ? String(error.code) : error.name);
  return error.cause === undefined ? message : `${message}: ${messageOf(error.cause)}`;
}
