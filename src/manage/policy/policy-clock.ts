/**
 * Tells teams that their keys violate a policy, and disables these keys when the policy says so.
 *
 * A walk reads the policies of all teams that have something to do in the time since the last walk. The events of a policy
 * are saved with the position of the walk, so each is written once, whichever instance walks. Disabling is repeated once a
 * day after `enforceAfter`, because secrets age. It is decided on the key and the policy in its own transaction. The operator's
 * bounds are not enforced: a team is not told before they change.
 */
import { isDeepStrictEqual } from 'node:util';
import { noSubject } from '../../domain/audit-entry.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import type { KeyEnv } from '../../domain/key/key-env.ts';
import { dayMs } from '../../domain/moment.ts';
import { noRules } from '../../domain/policy/key-policy.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import { violationsOf } from '../../domain/policy/violations.ts';
import { WrongClock } from '../../lib/wrong-clock.ts';
import { type Change, Decision, type NewEntry } from '../../store/changes/change.ts';
import { type ProgressStates, progressIn, saveProgress } from '../../store/rows/event-progress.ts';
import type { DuePolicy, PolicyPosition } from '../../store/rows/key-policies.ts';
import type { Store } from '../../store/store.ts';
import { outlivedAt, revokeOutlived } from '../access/management-key-lifetime.ts';
import { inBatches } from '../change/in-batches.ts';
import { disabled } from '../change/key-state.ts';
import { type Caller, entryBy, systemCaller } from '../management.ts';
import { readRulesOfTeam, rulesFor } from './team-rules.ts';

export interface PolicyClockOptions {
  readonly store: Pick<Store, 'changes' | 'eventProgress' | 'keyPolicies' | 'keys' | 'managementKeys'>;
  /** Called before each step. Returns false if the walk must end. */
  readonly mayContinue: () => Promise<boolean>;
  /** Reports a position in the future: the clock was set forward and back. */
  readonly report?: (error: unknown, what: string) => void;
}

/** All that was due until `from` is done; until `to` for the policies up to `after`, if a walk is under way. */
interface Progress {
  readonly from: string;
  readonly to: string | null;
  readonly after: PolicyPosition | null;
}

interface BeforeDisabling {
  readonly key: StoredKey | undefined;
  readonly policies: TeamPolicies | undefined;
}

const id = 'policies';
const queueKey = 'policies';
const pageSize = 200;
const noticeDays = [7, 1] as const;
/** A change is decided by the clock of its instance, and committed up to 15 seconds later. */
const settleMs = 20_000;
/** A position that is older is saved, even if nothing was due since. */
const saveIntervalMs = 3_600_000;

export class PolicyClock {
  readonly #options: PolicyClockOptions;
  readonly #wrongClock: WrongClock;

  constructor(options: PolicyClockOptions) {
    this.#options = options;
    this.#wrongClock = new WrongClock('policies are enforced', options.report);
  }

  /** Does what is due. Throws UNAVAILABLE, possibly after doing a part of it. */
  async walk(now: Date): Promise<void> {
    const { store, mayContinue } = this.#options;
    const settled = new Date(now.getTime() - settleMs);
    const until = settled.toISOString();
    let saved = progressOf(await store.eventProgress.list(id));
    const begin = saved === null ? settled : this.#wrongClock.look(new Date(saved.to ?? saved.from), settled);
    if (begin === 'ahead') return;
    if (saved === null || begin !== null) {
      await this.#save(saved, { from: (begin ?? settled).toISOString(), to: null, after: null });
      return;
    }
    const from = saved.from;
    const to = saved.to ?? until;
    // If the clock was set back, nothing is done again.
    if (to <= from) return;
    let hasActed = Date.parse(to) - Date.parse(from) > saveIntervalMs || saved.to !== null;
    const window = windowOf(new Date(from), new Date(to));
    let after = saved.after;
    for (let hasMore = true; hasMore; ) {
      const page = await store.keyPolicies.due(window, after, pageSize);
      for (const policy of page) {
        if (!(await mayContinue())) return;
        after = policy.position;
        const due = dueIn(policy, Date.parse(from), Date.parse(to));
        hasActed ||= due.enforce;
        if (due.enforce) await this.#disableViolating(policy, now);
        const entry = due.notice ? await this.#noticeOf(policy, now) : null;
        if (entry === null) continue;
        const next: Progress = { from, to, after };
        if (!(await this.#save(saved, next, [entry]))) return;
        [saved, hasActed] = [next, true];
      }
      hasMore = page.length === pageSize;
    }
    if (hasActed) await this.#save(saved, { from: to, to: null, after: null });
  }

  /** Returns the event that says how many keys violate a policy, and how many management keys it ends; null if none. */
  async #noticeOf({ teamId, env, enforceAfter }: DuePolicy, now: Date): Promise<NewEntry | null> {
    const { store } = this.#options;
    const { count } = await store.keys.count(await this.#violating(teamId, env, now));
    // A policy can be changed after it was enforced.
    const outlived =
      enforceAfter === null ? [] : await outlivedAt(store, teamId, enforceAfter < now ? now : enforceAfter);
    if (count + outlived.length === 0) return null;
    const enforced = { managementKeys: outlived.length, enforceAfter: enforceAfter?.toISOString() ?? null };
    const details = { env, keys: count, ...enforced };
    return { ...entryBy(systemCaller(now)), action: 'POLICY_VIOLATED', keyId: noSubject, teamId, changes: [], details };
  }

  async #violating(teamId: string, env: KeyEnv, now: Date) {
    const rules = await readRulesOfTeam({ store: this.#options.store, policyBounds: noRules }, teamId);
    return { teamId, env, now, states: ['ACTIVE'], violating: { is: true, rules } } as const;
  }

  async #disableViolating({ teamId, env }: DuePolicy, now: Date): Promise<void> {
    const { store, mayContinue } = this.#options;
    const selection = await this.#violating(teamId, env, now);
    const caller = systemCaller(now);
    let after: Parameters<typeof store.keys.select>[1];
    do {
      const { keys, end } = await store.keys.select(selection, after);
      const disableAll = (batch: typeof keys) =>
        Promise.all(batch.map((key) => store.changes.submit(this.#disabling(caller, key.id, teamId))));
      await inBatches(keys, disableAll);
      after = end ?? undefined;
    } while (after !== undefined && (await mayContinue()));
    await revokeOutlived(store, caller, teamId);
  }

  #disabling(caller: Caller, keyId: string, teamId: string): Change<void, BeforeDisabling> {
    return {
      queueKey,
      load: {
        needs: { ids: [keyId], policies: [teamId] },
        pick: ({ keys, policies }) => ({ key: keys.get(keyId), policies: policies.get(teamId) }),
      },
      decide: ({ key, policies }, revision) => {
        const enforceAfter = key === undefined ? null : (policies?.[key.env]?.enforceAfter ?? null);
        if (key === undefined || key.revokedAt !== null || enforceAfter === null) return new Decision(undefined);
        const rules = rulesFor(noRules, policies, key.env);
        const violations = violationsOf(rules, key, caller.now);
        if (enforceAfter > caller.now || violations.length === 0) return new Decision(undefined);
        const reason = `violates the policy: ${violations.map(({ rule }) => rule).join(', ')}`;
        return new Decision(undefined, disabled(caller, reason)(key, revision).write);
      },
    };
  }

  /** Saves the progress with entries. Returns false if another instance has changed it. */
  async #save(before: Progress | null, after: Progress, entries: readonly NewEntry[] = []): Promise<boolean> {
    return await this.#options.store.changes.submit({
      queueKey,
      load: { read: (client) => progressIn(client, id) },
      decide: (states: ProgressStates) =>
        isDeepStrictEqual(progressOf(states), before)
          ? new Decision(true, { entries, rows: [saveProgress(id, { ...after })] })
          : new Decision(false),
    });
  }
}

/** Returns the time in which `dueIn` can find something. */
function windowOf(from: Date, to: Date) {
  return { from, to, enforcedUntil: new Date(to.getTime() + Math.max(...noticeDays) * dayMs) };
}

/** Returns what is due for a policy after `from`, until `to`. */
function dueIn({ enforceAfter, changedAt }: DuePolicy, from: number, to: number) {
  const isIn = (at: number) => at > from && at <= to;
  if (enforceAfter === null) return { notice: isIn(changedAt.getTime()), enforce: false };
  const end = enforceAfter.getTime();
  const notices = noticeDays.map((days) => end - days * dayMs).filter((at) => at > changedAt.getTime());
  const daysUntil = (at: number) => Math.floor((at - end) / dayMs);
  return {
    notice: [changedAt.getTime(), ...notices].some(isIn),
    enforce: end <= to && daysUntil(to) > daysUntil(Math.max(from, end - 1)),
  };
}

function progressOf(states: ProgressStates): Progress | null {
  // Only `#save` writes it.
  return (states.get(id) as unknown as Progress | undefined) ?? null;
}
