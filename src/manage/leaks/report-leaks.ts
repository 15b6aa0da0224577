/** What happens to keys whose secrets were reported as leaked. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Slots } from '../../admission/slots.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import type { LeakMatch, LeakPolicy, LeakReport } from '../../domain/leak.ts';
import { hasPassed } from '../../domain/moment.ts';
import { secretsIn } from '../../domain/secret/keys-in-text.ts';
import { secretEnd } from '../../domain/secret/rotated-secret.ts';
import { classify } from '../../domain/secret/secret.ts';
import { digestsOf } from '../../domain/secret/secret-digest.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { type ExposedKey, exposedKey } from '../../store/rows/exposures.ts';
import type { FoundSecret } from '../../store/rows/keys.ts';
import { inBatches } from '../change/in-batches.ts';
import { disabled, revoked } from '../change/key-state.ts';
import { auditEntry, type Caller, type Management } from '../management.ts';

/** A report takes up to a second, and others wait longer for each one that runs. */
const maxReports = 4;
/** The recorded exposures of each secret: people act on the first ones, and no reporter can fill the log with more. */
const maxRecorded = 100;
/** Digests that are computed before other work of the process continues: about 2 ms. */
const matchesPerTurn = 200;

/** An exposure of a key, before it is known whether it is recorded. */
interface Exposure {
  readonly id: string;
  readonly version: number;
  readonly match: LeakMatch;
}

/** Returns a function for reports of leaks, of which only a few run at a time. */
export function leakReports(management: Management) {
  const slots = new Slots(maxReports);
  /**
   * Finds the keys of the reported tokens, of all teams, records each leak once, and does what the policy of the key's
   * team says. Returns for each match whether the token is or was the secret of a key. When it returns, no instance
   * accepts a key that it has disabled or revoked. Throws UNAVAILABLE; then a repeated report does the rest.
   */
  return async (matches: readonly LeakMatch[], report: LeakReport): Promise<readonly boolean[]> => {
    const slot = slots.take([]);
    if (slot.outcome !== 'taken') {
      throw new LatchkeyError('UNAVAILABLE', 'Too many reports of leaks are under way; try again shortly.');
    }
    return await reportLeaks(management, matches, report).finally(slot.release);
  };
}

async function reportLeaks(
  management: Management,
  matches: readonly LeakMatch[],
  report: LeakReport,
): Promise<readonly boolean[]> {
  const { store } = management;
  const found = await findSecrets(management, matches);
  const byKey = exposuresByKey(matches, found);
  await inBatches([...byKey], async (batch) => {
    // Without a transaction, for exposures that are recorded. The first report that was not answered may have done it.
    const known = await store.exposures.recorded(batch.flatMap(([, exposures]) => [...exposures.keys()]));
    const unknown = batch.filter(([, exposures]) => [...exposures.keys()].some((id) => !known.has(id)));
    const changes = unknown.map(([keyId, exposures]) => leakOf(keyId, exposures, callerOf(report)));
    const results = await Promise.allSettled(changes.map((change) => store.changes.submit(change)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return [];
  });
  // Also for a repeated report: an instance may accept the key until the earlier report has been answered.
  if (byKey.size > 0) await store.changes.waitForLease();
  return matches.map(({ token }) => found.has(token));
}

/** Returns the secrets of keys by token. Several keys have the same one only if it was imported. */
async function findSecrets(
  { store, peppers }: Management,
  matches: readonly LeakMatch[],
): Promise<ReadonlyMap<string, readonly FoundSecret[]>> {
  const tokens = [...new Set(matches.map(({ token }) => token))];
  const tokensOf = new Map<string, string[]>();
  for (const [i, token] of tokens.entries()) {
    if (i % matchesPerTurn === matchesPerTurn - 1) await nextTurn();
    for (const digest of secretsIn(token)
      .filter(isPossible)
      .flatMap((secret) => digestsOf(secret, peppers))) {
      tokensOf.set(digest, [...(tokensOf.get(digest) ?? []), token]);
    }
  }
  const found = new Map<string, FoundSecret[]>();
  for (const secret of tokensOf.size === 0 ? [] : await store.keys.findSecrets([...tokensOf.keys()])) {
    for (const token of tokensOf.get(secret.digest) ?? []) found.set(token, [...(found.get(token) ?? []), secret]);
  }
  return found;
}

function isPossible(secret: string): boolean {
  const format = classify(secret);
  return format === 'valid' || format === 'foreign';
}

type ExposuresByKey = ReadonlyMap<string, ReadonlyMap<string, Exposure>>;

/** Returns the exposures by key, and then by id: the same place twice is one exposure. */
function exposuresByKey(
  matches: readonly LeakMatch[],
  found: ReadonlyMap<string, readonly FoundSecret[]>,
): ExposuresByKey {
  const byKey = new Map<string, Map<string, Exposure>>();
  for (const match of matches) {
    for (const { keyId, version } of found.get(match.token) ?? []) {
      const exposures = byKey.get(keyId) ?? new Map<string, Exposure>();
      byKey.set(keyId, exposures);
      const id = idOf(keyId, version, match);
      if (!exposures.has(id)) exposures.set(id, { id, version, match });
    }
  }
  return byKey;
}

function idOf(keyId: string, version: number, { source, url }: LeakMatch): string {
  return createHash('sha256')
    .update(JSON.stringify([keyId, version, source, url]))
    .digest('base64url');
}

/** Does what the policy of the key's team says, once, and writes an entry to the log for each new exposure. */
function leakOf(
  keyId: string,
  reported: ReadonlyMap<string, Exposure>,
  caller: Caller,
): Change<void, ExposedKey | null> {
  return {
    queueKey: 'reports of leaks',
    load: exposedKey(keyId, [...reported.keys()]),
    decide: (exposed, revision) => {
      if (exposed === null || exposed.newIds.length === 0) return new Decision(undefined);
      const { key, policy, newIds } = exposed;
      const exposures = newIds
        .flatMap((id) => reported.get(id) ?? [])
        .map((exposure) => ({ ...exposure, action: actionOn(key, exposure.version, policy, caller.now) }));
      const action = exposures.find((one) => one.action !== 'NOTIFY')?.action ?? 'NOTIFY';
      const change = actions[action](caller)?.(key, revision).write;
      const shown = withinLimit(exposures, exposed);
      if (shown.length === 0) return new Decision(undefined);
      const entries = shown.map(({ match, action }) => entryOf(caller, key, match, action));
      return new Decision(undefined, {
        ...change,
        exposures: shown.map(({ id, version, match }) => ({
          ...{ id, keyId, at: caller.now, version, reporter: caller.session.subject },
          ...placeOf(match),
        })),
        entries: [...entries, ...(change?.entries ?? [])],
      });
    },
  };
}

/** Leaves out places of secrets that leaked in many. What changes the key is recorded first, and always. */
function withinLimit<One extends Exposure & { readonly action: LeakPolicy }>(
  exposures: readonly One[],
  { recordedOf }: ExposedKey,
): readonly One[] {
  const counts = new Map<number, number>();
  return exposures
    .toSorted((a, b) => Number(a.action === 'NOTIFY') - Number(b.action === 'NOTIFY'))
    .filter(({ version, action }, i) => {
      const count = counts.get(version) ?? recordedOf(version);
      counts.set(version, count + 1);
      return count < maxRecorded || (i === 0 && action !== 'NOTIFY');
    });
}

const actions = {
  NOTIFY: () => undefined,
  DISABLE: (caller: Caller) => disabled(caller, 'leaked'),
  REVOKE: (caller: Caller) => revoked(caller),
} as const satisfies Record<LeakPolicy, unknown>;

/**
 * Returns what the policy does with a key. Nothing if its state says it already, and nothing for an earlier secret that
 * is not accepted anymore: the key's holder has a new one. An expired key is not spared, because it can be renewed.
 */
function actionOn(key: StoredKey, version: number, policy: LeakPolicy, now: Date): LeakPolicy {
  if (key.revokedAt !== null || hasPassed(secretEnd(key, version), now.getTime())) return 'NOTIFY';
  return policy === 'DISABLE' && key.disabledAt !== null ? 'NOTIFY' : policy;
}

function entryOf(caller: Caller, key: StoredKey, match: LeakMatch, action: LeakPolicy) {
  return { ...auditEntry(caller, 'KEY_EXPOSED', key, key), details: { leak: { ...placeOf(match), action } } };
}

function placeOf({ source, url }: LeakMatch) {
  return { source: source === '' ? null : source, url: url === '' ? null : url };
}

function callerOf({ reporter, ...call }: LeakReport): Caller {
  return {
    ...call,
    session: { subject: reporter, teams: new Map(), teamNames: new Map() },
    actorKind: 'SYSTEM',
    credential: null,
  };
}
