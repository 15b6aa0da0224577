/**
 * Builds that are broken on purpose: each breaks one rule of the promise, by edits of the source when Node.js loads it.
 * The simulator must find each of them. Nothing else in the repository has these switches.
 */
import { registerHooks } from 'node:module';

export interface Edit {
  /** The path in src. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

const rounds = 'engine/confirmation-rounds.ts';
const cache = 'engine/key-cache.ts';
const feed = 'verify/edge-feed.ts';
const recent = 'verify/recent-changes.ts';
const queue = 'store/changes/change-queue.ts';
const group = 'store/changes/change-group.ts';
const knownKey = 'store/changes/known-key.ts';

export const brokenBuilds: Readonly<Record<string, readonly Edit[]>> = {
  'a round serves requests that arrived after its start': [
    {
      file: rounds,
      find: 'for (const waiter of this.#confirming) {',
      replace: 'for (const waiter of [...this.#confirming, ...this.#arrived.splice(0)]) {',
    },
  ],
  'a round decides before it applies the changes': [
    { file: rounds, find: 'for (const change of snapshot.changes) cache.apply(change);', replace: '' },
    {
      file: rounds,
      find: 'cache.trim();',
      replace: 'cache.trim(); for (const change of snapshot.changes) cache.apply(change);',
    },
  ],
  'a request whose row was dropped is decided without it': [
    {
      file: rounds,
      find: 'if (match === undefined && cacheKey !== null && !isRequested) postponed.push(waiter);\n        else ',
      replace: '',
    },
  ],
  'a lease counts from the answer': [
    {
      file: rounds,
      find: 'this.#leasedUntil = this.#startedAt + snapshot.leaseMs;',
      replace: 'this.#leasedUntil = this.#options.scheduler.now() + snapshot.leaseMs;',
    },
  ],
  'a lease counts from the end of the last one': [
    {
      file: rounds,
      find: 'this.#leasedUntil = this.#startedAt + snapshot.leaseMs;',
      replace: 'this.#leasedUntil = Math.max(this.#leasedUntil, this.#startedAt) + snapshot.leaseMs;',
    },
  ],
  'a failed round renews the lease': [
    {
      file: rounds,
      find: 'observer?.roundFailed();',
      replace: 'observer?.roundFailed(); if (this.#leasedUntil > this.#startedAt) this.#leasedUntil += 50;',
    },
  ],
  'requests to a busy upstream are forgotten': [
    { file: rounds, find: 'if (isBusy) this.#deferred = [...waiters, ...this.#deferred];', replace: '' },
  ],
  'a changed key keeps the row of its rotated secret': [
    { file: cache, find: '!== true) return this.#remove(cacheKey);', replace: '!== true) return false;' },
  ],
  'a change drops only the rows of current secrets': [
    {
      file: cache,
      find: 'for (const cacheKey of this.#dropped.get(id)?.entries ?? []) hasRemoved',
      replace: "for (const cacheKey of id === '' ? [id] : []) hasRemoved",
    },
  ],
  'the state for an edge is from a lease': [
    {
      file: feed,
      find: 'cacheKey: null, fresh: true, decide: () => resolve(read())',
      replace: 'cacheKey: null, decide: () => resolve(read())',
    },
  ],
  'a row for an edge is from a lease': [
    { file: feed, find: 'fresh: true,\n        // No limit', replace: '// No limit' },
  ],
  'a cursor stays valid after a failover': [
    { file: recent, find: 'name === this.#epochName && ', replace: 'name !== undefined && ' },
  ],
  'changes are answered before the leases end': [
    { file: queue, find: 'if (leaseMs === 0) settle();', replace: 'if (leaseMs >= 0) settle();' },
  ],
  'the revision is not part of the transaction': [
    {
      file: queue,
      find: 'new BulkRows(client, provider, this.#scheduler)',
      replace: 'new BulkRows({ ...client, revision: writer.revision }, provider, this.#scheduler)',
    },
  ],
  'a change without a transaction is answered before the leases end': [
    {
      file: knownKey,
      find: 'settlements: [settle], receipted, leaseMs }',
      replace: 'settlements: [settle], receipted, leaseMs: 0 }',
    },
  ],
  'a program changes keys without a look at its management key': [
    { file: knownKey, find: '(caller?.credential ?? null) === null ? (load', replace: 'caller !== null ? (load' },
  ],
  'a change is written after its management key was revoked': [
    { file: group, find: 'if (credential !== null && !isAccepted(credential))', replace: 'if (isAccepted === null)' },
  ],
  'the management key of a change is read before the lock': [
    {
      file: group,
      find: 'const taken = await takeRevisions(transaction, group.length);',
      replace: `const given = group.flatMap(({ change }) => change.caller?.credential ?? []);
        const isAccepted = await acceptedCredentials(transaction, given, new Date(scheduler.date()));
        const taken = await takeRevisions(transaction, group.length);`,
    },
    {
      file: group,
      find: 'const isAccepted = await acceptedCredentials(transaction, credentials, new Date(scheduler.date()));',
      replace: '',
    },
  ],
  'a fence is answered before the leases end': [{ file: group, find: ' || written.concernsVerdicts;', replace: ';' }],
  'an edge keeps its rows when a fence is put up': [
    { file: recent, find: 'overflow || fences !== null || ', replace: 'overflow || ' },
  ],
  'a cached key is compared with fences only once': [
    {
      file: 'verify/up-fences.ts',
      find: 'if (key.fencedAt === this.#state) return;',
      replace: 'if (key.fencedAt >= 0) return;',
    },
  ],
  'a row for an edge does not say that it is frozen': [
    {
      file: feed,
      find: 'if (match !== undefined) state.fences.mark(match);',
      replace: 'if (match !== undefined) match.frozenUntil = Number.NEGATIVE_INFINITY;',
    },
  ],
  'a derived token does not end with its secret': [
    { file: 'domain/derived/narrowed.ts', find: 'digestVersion: secretVersion,', replace: '' },
  ],
  'an ended overlap has no end': [
    { file: 'verify/cached-key.ts', find: '(previousExpiresAt ?? ended)', replace: 'previousExpiresAt' },
  ],
};

/** Must be called before the source is loaded. Throws for an unknown name. */
export function breakBuild(name: string): void {
  const edits = brokenBuilds[name];
  if (edits === undefined) throw new RangeError(`there is no broken build "${name}"`);
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const own = edits.filter(({ file }) => url.endsWith(`/src/${file}`));
      return own.length === 0 ? loaded : { ...loaded, source: own.reduce(edited, String(loaded.source)) };
    },
  });
}

/** Throws unless the text to be edited occurs exactly once. */
export function edited(source: string, { file, find, replace }: Edit): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`${file} has ${parts.length - 1} times the text that is to be edited: ${find}`);
  return parts.join(replace);
}
