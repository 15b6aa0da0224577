/** Callers that change keys, one caller for each key, and verify them before, during and after each change. */
import { hash } from 'node:crypto';
import { isVerifierError } from '../../../src/client/verdict.ts';
import { mintDerived } from '../../../src/domain/derived/derived-token.ts';
import { LatchkeyError } from '../../../src/domain/errors.ts';
import type { Permission } from '../../../src/domain/key/permission.ts';
import { type IpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';
import type { AnsweredKey, Outcome } from '../../../src/domain/verdict/verification-call.ts';
import { createKey } from '../../../src/manage/change/create-key.ts';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import type { Caller } from '../../../src/manage/management.ts';
import { isUnavailable } from '../../../src/store/unavailable.ts';
import { sources } from '../../harness/key-choices.ts';
import { historyState, type KeyState, newKey } from '../../harness/key-model.ts';
import type { Circumstances, Verdict } from '../history/format.ts';
import type { Recorder } from '../history/recording.ts';
import { bySessions, nextStep, type Perform, type SimulatedKey } from './changes.ts';
import { type Network, NetworkError } from './network.ts';
import type { Port } from './port.ts';
import type { Process } from './process.ts';
import { callerOf, type Program, Programs } from './programs.ts';
import { type ManagementProcess, peppers } from './service.ts';
import type { World } from './world.ts';

interface WorkloadOptions {
  readonly world: World;
  readonly network: Network;
  readonly recorder: Recorder;
  /** The process of the callers, which never crashes. */
  readonly callers: Process;
  readonly management: readonly ManagementProcess[];
  readonly ports: readonly Port[];
  /** The number of changes after which the callers stop. */
  readonly changes: number;
  /** The average time between two changes of a key. */
  readonly pauseMs: number;
}

const teamId = '5a3c7f60-9a52-4b6e-8f0e-1f0a2b3c4d5e';
const otherTeamId = '0b7f1c52-55a1-4d0e-9a43-7d6f5e4c3b2a';
const permissions = new Set<Permission>(['manage_keys', 'import_keys', 'view_team', 'manage_access']);
const teams = new Map([teamId, otherTeamId].map((id) => [id, permissions]));
/** How long a caller waits for the answer to a change. */
const changeTimeoutMs = 10_000;
/** How long after the change a key expires. */
const expiresInMs = [300, 1500] as const;
/** Longer than an episode. */
const tokenLifetimeMs = 86_000_000;
/** The pause after a creation that got no answer. */
const retryMs = 100;
/** Retired keys are still verified: what was revoked must not come back. */
const rememberedKeys = 10;

const addresses: Readonly<Record<string, IpAddress | undefined>> = Object.fromEntries(
  Object.values(sources).map((text) => [text, parseIpAddress(text) ?? undefined]),
);

interface RecordedChange {
  readonly key: string;
  readonly change: string;
  readonly after: KeyState;
  /** Null: a person makes it. */
  readonly program: Program | null;
}

interface Pending {
  readonly port: Port;
  readonly incarnation: number;
}

export class Workload {
  readonly #options: WorkloadOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #keys = new Set<SimulatedKey>();
  readonly #retired: SimulatedKey[] = [];
  readonly #programs: Programs;
  #names = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    const call = <Answer>(perform: (...call: Parameters<Perform>) => Promise<Answer>) => this.#tryCall(perform);
    this.#programs = new Programs({ world: options.world, teamId, call });
  }

  /** Makes and revokes the management keys with which callers make some changes, until all changes are made. */
  async runPrograms(): Promise<void> {
    const { recorder, changes } = this.#options;
    await this.#programs.run(() => recorder.changes >= changes);
  }

  /** Lets a caller create keys and change them, until all callers together have made all changes. */
  async runCaller(): Promise<void> {
    const { world, recorder, changes, pauseMs } = this.#options;
    while (recorder.changes < changes) {
      const key = await this.#create();
      if (key === null) await world.pause(retryMs);
      while (key !== null && this.#keys.has(key) && recorder.changes < changes) {
        await world.pause(world.random.between(0, 2 * pauseMs));
        await this.#change(key);
      }
    }
  }

  /** Verifies all keys at all ports. */
  verifyAll(): void {
    for (const key of [...this.#keys, ...this.#retired]) {
      for (const port of this.#options.ports) {
        for (let secret = Math.max(0, key.secrets.length - 2); secret < key.secrets.length; secret += 1) {
          this.#verify(port, key, { ...this.#circumstances(key), secret }, 0);
        }
      }
    }
  }

  /** The ports at which a verification has not ended. */
  get pendingAt(): readonly string[] {
    const alive = [...this.#pending.values()].filter(
      ({ port, incarnation }) => port.process.incarnation === incarnation,
    );
    return alive.map(({ port }) => port.process.name);
  }

  async #create(): Promise<SimulatedKey | null> {
    const { random } = this.#options.world;
    const after = newKey(this.#newName(), random.pick(['live', 'test']), '', null);
    const isImported = random.chance(0.3);
    // No program imports.
    const program = isImported ? null : this.#programs.next();
    const change = { key: after.name, change: isImported ? 'import' : 'create', after, program };
    const made = await this.#record(change, () => (isImported ? this.#import(after) : this.#mint(after, program)));
    if (made === null) return null;
    const key = { ...made, name: after.name, isImported, secrets: [made.secret], fenceId: null, state: after };
    this.#keys.add(key);
    this.#salvo(key, 0);
    return key;
  }

  async #mint({ name, env }: KeyState, program: Program | null) {
    const idempotencyKey = this.#options.world.random.chance(0.3) ? name : null;
    const input = { teamId, name, env, externalId: name };
    return await this.#call(async (management, caller) => {
      const { apiKey, secret } = await createKey(management, caller, input, idempotencyKey);
      return { id: apiKey.id, secret };
    }, program);
  }

  async #import({ name, env }: KeyState) {
    const secret = `sk-${hash('sha256', `${name} ${this.#options.world.random.next()}`, 'hex')}`;
    const keys = [{ digest: hash('sha256', secret, 'hex'), name, env, externalId: name }];
    return await this.#call(async (management, caller) => {
      const { results } = await importKeys(management, caller, { teamId, keys, dryRun: false });
      const id = results[0]?.apiKey?.id;
      if (id === undefined) throw new Error('the key was not imported');
      return { id, secret };
    });
  }

  async #change(key: SimulatedKey): Promise<void> {
    const { world, callers } = this.#options;
    const { random } = world;
    const context = { random, newName: () => this.#newName(), now: callers.date(), expiresInMs } as const;
    const { name, after, perform } = nextStep(key, context, { teamId, otherTeamId });
    for (const port of this.#some(0.2)) this.#verifyLater(port, key, random.between(0, 10));
    const program = bySessions.includes(name) ? null : this.#programs.next();
    const change = { key: key.name, change: name, after, program };
    const made = await this.#record(change, async () => ({ secret: await this.#call(perform, program) }));
    if (made !== null) {
      if (made.secret !== null) key.secrets.push(made.secret);
      key.state = after;
    }
    // Without an answer, the state of the key is not known.
    if (made === null || after.revokedAt !== null) this.#retire(key);
    this.#salvo(key, 0);
  }

  /** Records a change. Returns null if it has no answer. */
  async #record<Made>(
    { key, change, after, program }: RecordedChange,
    make: () => Promise<Made>,
  ): Promise<Made | null> {
    const { recorder, world } = this.#options;
    const wasRevoked = program?.state === 'revoked';
    const call = recorder.change(key, change, historyState(after));
    try {
      const made = await make();
      recorder.changed(call);
      if (wasRevoked) throw new Error('a revoked management key has made a change');
      return made;
    } catch (error) {
      const code = error instanceof LatchkeyError ? error.code : null;
      const isEnded = code === 'UNAUTHENTICATED' && program !== null && program.state !== 'active';
      // An expiry may have passed on the way.
      if (isEnded || (change === 'expire' && code === 'BAD_USER_INPUT')) recorder.rejected(call);
      else if (!(error instanceof NetworkError || isFailure(error))) world.fail(error);
      return null;
    }
  }

  /** Makes a call as a person. Returns null if it got no answer. */
  async #tryCall<Answer>(perform: (...call: Parameters<Perform>) => Promise<Answer>): Promise<Answer | null> {
    try {
      return await this.#call(perform);
    } catch (error) {
      if (!(error instanceof NetworkError || isFailure(error))) this.#options.world.fail(error);
      return null;
    }
  }

  async #call<Answer>(
    perform: (...call: Parameters<Perform>) => Promise<Answer>,
    program: Program | null = null,
  ): Promise<Answer> {
    const { world, network, callers, management } = this.#options;
    const port = world.random.pick(management);
    const { process } = port;
    const handle = async () => {
      const { management } = port;
      const now = process.date();
      return await perform(
        management,
        program === null ? callerAt(now) : await callerOf(management, program, new Date(now)),
      );
    };
    return await network.exchange({ from: callers, to: process, timeoutMs: changeTimeoutMs, handle });
  }

  #retire(key: SimulatedKey): void {
    this.#keys.delete(key);
    this.#retired.push(key);
    if (this.#retired.length > rememberedKeys) this.#retired.shift();
  }

  /** Verifies the key at several ports now, and another key at one port. */
  #salvo(key: SimulatedKey, delayMs: number): void {
    const { random } = this.#options.world;
    for (const port of this.#some(0.5)) this.#verify(port, key, this.#circumstances(key), delayMs);
    if (this.#retired.length > 0 && random.chance(0.3)) {
      this.#verifyLater(random.pick(this.#options.ports), random.pick(this.#retired), 0);
    }
  }

  #some(share: number): readonly Port[] {
    return this.#options.ports.filter(() => this.#options.world.random.chance(share));
  }

  #verifyLater(port: Port, key: SimulatedKey, ms: number): void {
    this.#options.world.after(ms, () => this.#verify(port, key, this.#circumstances(key), 0));
  }

  #verify(port: Port, key: SimulatedKey, circumstances: Circumstances, delayMs: number): void {
    const { recorder, world } = this.#options;
    const { secret, scopes, source, env } = circumstances;
    const { process } = port;
    const token = this.#tokenOf(key, secret);
    const call = recorder.verify(key.name, circumstances, process.name);
    if (process.isUp) this.#pending.set(call, { port, incarnation: process.incarnation });
    const end = (record: () => void) => {
      this.#pending.delete(call);
      // An answer takes as long as the request.
      world.after(delayMs, record);
    };
    const answered = {
      answer: (outcome: Outcome<AnsweredKey>) => {
        // The expiry of a token is its own.
        const { expiresAt, ...verdict } = verdictOf(outcome);
        const shown = token === null && expiresAt !== undefined ? { ...verdict, expiresAt } : verdict;
        end(() => recorder.verified(call, shown));
      },
      fail: (error: unknown) => {
        if (!isFailure(error)) world.fail(error);
        end(() => recorder.verified(call));
      },
    };
    const verification = {
      secret: token ?? key.secrets[secret] ?? '',
      env: env === null ? undefined : (env as 'live' | 'test'),
      ...{ scopes, source: addresses[source ?? ''], request: () => undefined },
    };
    process.run(delayMs, () => port.verify(verification, answered));
  }

  /** Sometimes a token is presented that was derived from the secret. Those of imported keys have another owner. */
  #tokenOf({ id, state, isImported }: SimulatedKey, secret: number): string | null {
    const { world, callers } = this.#options;
    if (isImported || !world.random.chance(0.2)) return null;
    const expiresAt = callers.date() + tokenLifetimeMs;
    const token = {
      keyId: id,
      secretVersion: secret + 1,
      expiresAt,
      scopes: ['read', 'write'],
      sources: null,
      label: null,
    };
    return mintDerived('lk', state.env, token, peppers);
  }

  /** Circumstances in which the last changes make a difference. */
  #circumstances({ secrets, state }: SimulatedKey): Circumstances {
    const { random } = this.#options.world;
    const newest = secrets.length - 1;
    const other = state.env === 'live' ? 'test' : 'live';
    return {
      secret: random.chance(0.65) ? newest : Math.max(0, newest - (random.chance(0.9) ? 1 : 2)),
      scopes: random.chance(0.8) ? [] : [random.pick(['read', 'write'])],
      env: random.chance(0.9) ? null : random.pick([state.env, other]),
      source: random.chance(0.6) ? sources.tight : random.pick([sources.loose, sources.outside, null]),
      signedWith: null,
    };
  }

  /** Names are never used twice, so that the name in a verdict identifies the state that it is based on. */
  #newName(): string {
    this.#names += 1;
    return `Key ${this.#names}`;
  }
}

/** Returns whether a call failed in a way that callers must expect: it got no answer. */
function isFailure(error: unknown): boolean {
  return (
    isVerifierError(error) || isUnavailable(error) || (error instanceof LatchkeyError && error.code === 'UNAVAILABLE')
  );
}

function callerAt(date: number): Caller {
  return {
    session: { subject: 'caller', teams, teamNames: new Map() },
    actorKind: 'SESSION',
    credential: null,
    source: null,
    requestId: 'request',
    now: new Date(date),
  };
}

function verdictOf({ code, key }: Outcome<AnsweredKey>): Verdict {
  if (key === null) return { accepted: code === 'VALID', code };
  const { name, secret } = JSON.parse(`{${key.described}`);
  return { accepted: code === 'VALID', code, name, secret, expiresAt: key.expiresAt };
}
