/** What happens to keys whose secrets were reported as leaked. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LatchkeyError } from '../../domain/errors.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import type { LeakMatch, LeakPolicy, LeakReport } from '../../domain/leak.ts';
import { hasPassed } from '../../domain/moment.ts';
import { secretsIn } from '../../domain/secret/keys-in-text.ts';
import { secretEnd } from '../../domain/secret/rotated-secret.ts';
import { classify } from '../../domain/secret/secret.ts';
import { digestsOf } from '../../domain/secret/secret-digest.ts';
import type { DecideExposure, ExposureDecision, ReportedKeyLeak } from '../../store/changes/exposures.ts';
import type { FoundSecret } from '../../store/rows/keys.ts';
import { disabled, revoked } from '../change/key-state.ts';
import { auditEntry, type Caller, type Management } from '../management.ts';

/** A report takes up to a second, and others wait longer for each one that runs. */
const maxReports = 4;
/** Keys per transaction, as many as a group of changes can have, so that other changes do not wait longer. */
const keysPerBatch = 100;
/** The recorded exposures of a secret: people act on the first ones, and no reporter can fill the log with more. */
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
  let running = 0;
  /**
   * Finds the keys of the reported tokens, of all teams, records each leak once, and does what the policy of the key's
   * team says. Returns for each match whether the token is or was the secret of a key. When it returns, no instance
   * accepts a key that it has disabled or revoked. Throws UNAVAILABLE; then a repeated report does the rest.
   */
  return async (matches: readonly LeakMatch[], report: LeakReport): Promise<readonly boolean[]> => {
    if (running >= maxReports) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many reports of leaks are under way; try again shortly.');
    }
    running += 1;
    try {
      return await reportLeaks(management, matches, report);
    } finally {
      running -= 1;
    }
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
  const decide = decision(byKey, callerOf(report));
  const reported = [...byKey].map(([keyId, exposures]): ReportedKeyLeak => ({ keyId, ids: [...exposures.keys()] }));
  for (const batch of batchesOf(reported)) await store.exposures.record(batch, decide);
  // Also for a repeated report: an instance may accept the key until the earlier report has been answered.
  if (reported.length > 0) await store.changes.lease();
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

function* batchesOf(reported: readonly ReportedKeyLeak[]): Iterable<readonly ReportedKeyLeak[]> {
  for (let i = 0; i < reported.length; i += keysPerBatch) yield reported.slice(i, i + keysPerBatch);
}

/** Returns what is done with one key: what its policy says, once, and an entry in the log for each exposure. */
function decision(byKey: ExposuresByKey, caller: Caller): DecideExposure {
  return ({ key, policy, newIds, recorded }, revision): ExposureDecision => {
    const exposures = newIds.flatMap((id) => byKey.get(key.id)?.get(id) ?? []);
    const actions = exposures.map(({ version }) => actionOn(key, version, policy, caller.now));
    const action = actions.find((one) => one !== 'NOTIFY') ?? 'NOTIFY';
    const change = changes[action](caller)?.(key, revision).write;
    // What changes the key is always recorded, also of a secret that leaked in many places.
    const room = Math.max(maxRecorded - recorded, action === 'NOTIFY' ? 0 : 1);
    const inOrder = exposures.map((exposure, i) => ({ ...exposure, action: actions[i] ?? 'NOTIFY' }));
    const shown = inOrder.sort((a, b) => Number(a.action === 'NOTIFY') - Number(b.action === 'NOTIFY')).slice(0, room);
    return {
      exposures: shown.map(({ id, match, action }) => ({ id, entry: entryOf(caller, key, match, action) })),
      change,
    };
  };
}

const changes = {
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

function entryOf(caller: Caller, key: StoredKey, { source, url }: LeakMatch, action: LeakPolicy) {
  const leak = { source: source === '' ? null : source, url: url === '' ? null : url, action };
  return { ...auditEntry(caller, 'KEY_EXPOSED', key, key), details: { leak } };
}

function callerOf({ reporter, ...call }: LeakReport): Caller {
  return { ...call, session: { subject: reporter, teams: new Map(), teamNames: new Map() }, actorKind: 'SYSTEM' };
}
