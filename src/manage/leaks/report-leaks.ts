/** What happens to keys whose secrets were reported as leaked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Slots } from '../../admission/slots.ts';
import { openDerived } from '../../domain/derived/derived-token.ts';
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
import { type Exposure, exposuresByKey, type LeakedSecret, placeOf, recordOf, withinLimit } from './exposures.ts';
import { leakOfManagementKey } from './leaked-management-keys.ts';

/** A report takes up to a second, and others wait longer for each one that runs. */
const maxReports = 4;
/** Digests that are computed before other work of the process continues: about 2 ms. */
const matchesPerTurn = 200;

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
  const caller = callerOf(report);
  const changes = [
    ...[...exposuresByKey(matches, found.ofManagementKeys)].map(
      ([id, exposures]) => [leakOfManagementKey(id, exposures, caller), exposures] as const,
    ),
    ...[...exposuresByKey(matches, found.ofKeys)].map(
      ([id, exposures]) => [leakOf(id, exposures, caller), exposures] as const,
    ),
  ];
  await inBatches(changes, async (batch) => {
    // Without a transaction, for exposures that are recorded. The first report that was not answered may have done it.
    const known = await store.exposures.recorded(batch.flatMap(([, exposures]) => [...exposures.keys()]));
    const unknown = batch.filter(([, exposures]) => [...exposures.keys()].some((id) => !known.has(id)));
    const results = await Promise.allSettled(unknown.map(([change]) => store.changes.submit<void, unknown>(change)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return [];
  });
  // Also for a repeated report: an instance may accept the key until the earlier report has been answered.
  if (changes.length > 0) await store.changes.waitForLease();
  // A tripwire is answered as an unknown key is everywhere. Its team is told.
  const isKnown = (token: string) => found.ofKeys.get(token)?.some(({ tripwire }) => tripwire !== true) === true;
  return matches.map(({ token }) => isKnown(token) || found.ofManagementKeys.has(token));
}

type SecretsByToken = ReadonlyMap<string, readonly LeakedSecret[]>;

interface FoundSecrets {
  readonly ofKeys: SecretsByToken;
  readonly ofManagementKeys: SecretsByToken;
}

/** Returns the secrets of keys by token. Several keys have the same one only if it was imported. */
async function findSecrets({ store, peppers }: Management, matches: readonly LeakMatch[]): Promise<FoundSecrets> {
  const tokens = [...new Set(matches.map(({ token }) => token))];
  const tokensOf = new Map<string, string[]>();
  const derived = new Map<string, readonly LeakedSecret[]>();
  for (const [i, token] of tokens.entries()) {
    if (i % matchesPerTurn === matchesPerTurn - 1) await nextTurn();
    const secrets = secretsIn(token);
    for (const secret of secrets) {
      const opened = openDerived(secret, peppers);
      if (opened !== null) derived.set(token, [{ keyId: opened.keyId, version: 0, label: opened.label }]);
    }
    for (const digest of secrets.filter(isPossible).flatMap((secret) => digestsOf(secret, peppers))) {
      tokensOf.set(digest, [...(tokensOf.get(digest) ?? []), token]);
    }
  }
  const byToken = (secrets: readonly (FoundSecret & LeakedSecret)[]): SecretsByToken => {
    const found = new Map<string, LeakedSecret[]>();
    for (const secret of secrets) {
      for (const token of tokensOf.get(secret.digest) ?? []) found.set(token, [...(found.get(token) ?? []), secret]);
    }
    return found;
  };
  const digests = [...tokensOf.keys()];
  if (digests.length === 0) return { ofKeys: derived, ofManagementKeys: byToken([]) };
  return {
    ofKeys: new Map([...derived, ...byToken(await store.keys.findSecrets(digests))]),
    ofManagementKeys: byToken(await store.managementKeys.findSecrets(digests)),
  };
}

function isPossible(secret: string): boolean {
  const format = classify(secret);
  return format === 'valid' || format === 'foreign' || format === 'management key';
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
      const entries = shown.map((exposure) => entryOf(caller, key, exposure));
      return new Decision(undefined, {
        ...change,
        exposures: recordOf(keyId, caller, shown),
        entries: [...entries, ...(change?.entries ?? [])],
      });
    },
  };
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
  // A token ends within a day, and its key has not leaked. A tripwire would be silent if it was disabled.
  if (version === 0 || key.tripwire) return 'NOTIFY';
  if (key.revokedAt !== null || hasPassed(secretEnd(key, version), now.getTime())) return 'NOTIFY';
  return policy === 'DISABLE' && key.disabledAt !== null ? 'NOTIFY' : policy;
}

interface DecidedExposure extends Exposure {
  readonly action: LeakPolicy;
}

function entryOf(caller: Caller, key: StoredKey, { match, version, label, action }: DecidedExposure) {
  const named = { field: 'derivedToken', before: null, after: label ?? 'without a label' };
  return {
    ...auditEntry(caller, 'KEY_EXPOSED', key, key),
    changes: version === 0 ? [named] : [],
    details: { leak: { ...placeOf(match), action } },
  };
}

function callerOf({ reporter, ...call }: LeakReport): Caller {
  return {
    ...call,
    session: { subject: reporter, teams: new Map(), teamNames: new Map() },
    actorKind: 'SYSTEM',
    credential: null,
  };
}
