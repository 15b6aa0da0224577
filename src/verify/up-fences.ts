/**
 * The fences that are up, as of the last confirmed state. A cached key is compared with those of its team only once after
 * they have changed, so a request costs one comparison of integers, however many fences there are.
 */
import { frozenUntil, type UpFence } from '../domain/fence/fence.ts';
import type { FencesState } from '../store/feed/key-feed.ts';
import type { CachedKey } from './cached-key.ts';

const none: readonly UpFence[] = [];

export class UpFences {
  /** Counts what was set, because a database that returned to an earlier state can have the same revision twice. */
  #state = 0;
  #byTeam: ReadonlyMap<string, readonly UpFence[]> = new Map();

  set({ up }: FencesState): void {
    this.#state += 1;
    const byTeam = new Map<string, UpFence[]>();
    for (const fence of up) byTeam.set(fence.teamId, [...(byTeam.get(fence.teamId) ?? []), fence]);
    this.#byTeam = byTeam;
  }

  /** Must be called before each verdict on a cached key. */
  mark(key: CachedKey): void {
    if (key.fencedAt === this.#state) return;
    key.frozenUntil = frozenUntil(this.#byTeam.get(key.teamId) ?? none, key);
    key.fencedAt = this.#state;
  }
}
