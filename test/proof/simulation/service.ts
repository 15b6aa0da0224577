/** The processes of an instance, assembled from the real parts as compose-management.ts and data-plane.ts do. */
import { noRules } from '../../../src/domain/policy/key-policy.ts';
import { keyRing } from '../../../src/domain/secret/key-ring.ts';
import { UnknownKeyLimit } from '../../../src/domain/verdict/unknown-key-limit.ts';
import type { VerificationCall } from '../../../src/domain/verdict/verification-call.ts';
import { ConfirmationRounds } from '../../../src/engine/confirmation-rounds.ts';
import { KeyCache } from '../../../src/engine/key-cache.ts';
import { KeySearch } from '../../../src/engine/key-search.ts';
import { ChangeBudget } from '../../../src/manage/change/change-budget.ts';
import type { Management } from '../../../src/manage/management.ts';
import { ChangeQueue } from '../../../src/store/changes/change-queue.ts';
import { Fences } from '../../../src/store/rows/fences.ts';
import { IdempotentCreates } from '../../../src/store/rows/idempotent-creates.ts';
import { Keys } from '../../../src/store/rows/keys.ts';
import { ManagementKeys } from '../../../src/store/rows/management-keys.ts';
import type { VerdictCounters } from '../../../src/usage/count-verdict.ts';
import { type CachedKey, keysInCache } from '../../../src/verify/cached-key.ts';
import { EdgeFeed } from '../../../src/verify/edge-feed.ts';
import { RecentChanges } from '../../../src/verify/recent-changes.ts';
import { StoreSource } from '../../../src/verify/store-source.ts';
import { StoreVerifier } from '../../../src/verify/verifier.ts';
import type { Answered, Port } from './port.ts';
import { type Clock, Process } from './process.ts';
import type { SimulatedStore } from './store.ts';
import type { World } from './world.ts';

const nothing = () => undefined;
const ring = (id: string) => keyRing([{ id, bytes: Buffer.alloc(32, id) }]);
export const peppers = ring('pepper');

/** The counters of use decide nothing here, because no key has a rate limit. */
export const counters: VerdictCounters = {
  usage: { record: nothing },
  sources: { record: nothing },
  rateLimits: {
    accept: () => true,
    stateOf: () => {
      throw new Error('no key has a rate limit');
    },
  },
};

export class ManagementProcess {
  readonly process: Process;
  readonly #store: SimulatedStore;
  readonly #world: World;
  management: Management;

  constructor(name: string, world: World, clock: Clock, store: SimulatedStore) {
    this.#store = store;
    this.#world = world;
    this.process = new Process(name, world, clock, () => {
      this.management = this.#boot();
    });
    this.management = this.#boot();
  }

  #boot(): Management {
    const { process } = this;
    const { random } = this.#world;
    const database = this.#store.databaseOf(process);
    const changes = new ChangeQueue(database, process);
    const management = {
      store: {
        keys: Object.assign(new Keys(database.reader, 'postgresql'), { select: async () => ({ keys: [], end: null }) }),
        usage: { callsSince: async () => 0 },
        managementKeys: new ManagementKeys(database.reader),
        idempotentCreates: new IdempotentCreates(database.reader),
        changes,
        fences: new Fences(database.reader, changes),
      },
      keyTag: 'lk',
      revisions: { encode: String },
      peppers,
      policyBounds: noRules,
      credentialUse: { record: nothing },
      maxKeysPerTeam: Number.POSITIVE_INFINITY,
      budget: new ChangeBudget(Number.POSITIVE_INFINITY, process),
      randomBytes: (size: number) => Buffer.from(Array.from({ length: size }, () => random.whole(0, 255))),
    };
    // Only what the use cases in the simulation need.
    return management as unknown as Management;
  }
}

interface VerificationOptions {
  readonly store: SimulatedStore;
  readonly cacheKeys: number;
  readonly leaseMs: number;
  readonly pauseMs: number;
  readonly maxMissing: number;
}

export class VerificationProcess implements Port {
  readonly process: Process;
  readonly #options: VerificationOptions;
  #verifier: StoreVerifier;
  feed: EdgeFeed;

  constructor(name: string, world: World, clock: Clock, options: VerificationOptions) {
    this.#options = options;
    this.process = new Process(name, world, clock, () => {
      ({ verifier: this.#verifier, feed: this.feed } = this.#boot());
    });
    ({ verifier: this.#verifier, feed: this.feed } = this.#boot());
  }

  verify(call: VerificationCall, answered: Answered): void {
    this.#verifier.verify(call, { ...answered, reject: answered.fail, waitsForDns: nothing });
  }

  #boot() {
    const { process: scheduler } = this;
    const { store, cacheKeys, leaseMs, pauseMs, maxMissing } = this.#options;
    const cache = new KeyCache<CachedKey>({ ...keysInCache, maxKeys: cacheKeys });
    const changes = new RecentChanges();
    const source = new StoreSource({ feed: store.feedOf(scheduler), peppers, pauseMs, leaseMs, changes });
    const rounds = new ConfirmationRounds({ source, cache, maxMissing, retryPauseMs: pauseMs, scheduler });
    const unknownKeys = new UnknownKeyLimit(Number.POSITIVE_INFINITY);
    const search = new KeySearch({ cache, rounds, state: source, unknownKeys, now: scheduler.now });
    const verifier = new StoreVerifier({ search, state: source, ...counters, scheduler, ...unused });
    const feed = new EdgeFeed({
      rounds,
      state: source,
      search,
      changes,
      scheduler,
      trips,
      states: { record: () => undefined },
    });
    return { verifier, feed };
  }
}

const trips = { record: nothing };

/** No request is signed, no key allows host names, and none is a tripwire. */
const unused = {
  trips,
  nonces: { claim: () => Promise.reject(new Error('no request is signed')) },
  hosts: { haveAddress: () => false, resolve: async () => false },
  signingKeks: ring('kek'),
};
