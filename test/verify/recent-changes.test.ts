/** The log of changes from which edges learn what to drop. */
import { describe, expect, it } from 'vitest';
import type { FeedKey, StoreSnapshot } from '../../src/store/feed/key-feed.ts';
import { RecentChanges } from '../../src/verify/recent-changes.ts';
import { idSecret, plainFeedKey } from '../support/plain-keys.ts';

const key = (id: string, revision: number, importRevision: number | null = null): FeedKey => ({
  ...plainFeedKey,
  id,
  revision,
  importRevision,
  teamId: 'team',
  name: 'A key',
  env: 'live',
  prefix: 'p',
  digest: id,
});
const snapshot = (
  revision: number,
  keys: readonly FeedKey[] = [],
  more: Partial<StoreSnapshot> = {},
): StoreSnapshot => ({
  epoch: 'one',
  revision,
  overflow: false,
  imports: false,
  idSecret,
  fences: null,
  leaseMs: 0,
  keys,
  ...more,
});
const clear = { clear: true, changed: [] };

/** A log that starts at revision 10. */
function started(): RecentChanges {
  const changes = new RecentChanges();
  changes.add(null, snapshot(10, [], { overflow: true }));
  return changes;
}

describe('the log of changes', () => {
  it('lists what changed after a cursor, each key once, without keys that were only looked up', () => {
    const changes = started();
    const { cursor } = changes;
    expect(changes.since(cursor)).toEqual({ clear: false, changed: [] });
    changes.add(10, snapshot(12, [key('a', 11), key('b', 12), key('looked up', 3)]));
    const between = changes.cursor;
    changes.add(12, snapshot(13, [key('a', 13)]));
    expect(changes.since(cursor)).toEqual({ clear: false, changed: ['a', 'b'] });
    expect(changes.since(between)).toEqual({ clear: false, changed: ['a'] });
    expect(changes.since(changes.cursor)).toEqual({ clear: false, changed: [] });
  });

  it('lists all changes of a round that spans the cursor of another process', () => {
    const [slow, fast] = [started(), started()];
    fast.add(10, snapshot(11, [key('a', 11)]));
    slow.add(10, snapshot(12, [key('a', 11), key('b', 12)]));
    expect(slow.since(fast.cursor)).toMatchObject({ clear: false, changed: ['a', 'b'] });
  });

  it('says that the cache must be cleared, if the list would be longer than an edge accepts', () => {
    const changes = started();
    const { cursor } = changes;
    const id = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    changes.add(
      10,
      snapshot(
        11,
        Array.from({ length: 1000 }, (_, i) => key(id(i), 11)),
      ),
    );
    expect(changes.since(cursor)).toMatchObject({ clear: false });
    expect(JSON.stringify(changes.since(cursor)).length).toBeLessThan(64 * 1024);
    changes.add(11, snapshot(12, [key(id(1000), 12)]));
    expect(changes.since(cursor)).toEqual(clear);
  });

  it('says clear for a cursor that it does not know', () => {
    const changes = started();
    const early = changes.cursor;
    changes.add(10, snapshot(11, [key('a', 11)]));
    const ahead = changes.cursor.replace(/11$/, '12');
    const behind = changes.cursor.replace(/11$/, '9');
    const other = new RecentChanges();
    other.add(null, snapshot(11, [], { epoch: 'another', overflow: true }));
    // Without one of its keys, an edge must not keep what it has by a token.
    const otherRing = new RecentChanges('another');
    otherRing.add(null, snapshot(11, [], { overflow: true }));
    const foreign = [
      otherRing.cursor,
      '',
      'x',
      `${early} `,
      early.slice(1),
      `.${early}`,
      `${early}.1`,
      `${'A'.repeat(22)}.11`,
    ];
    for (const cursor of [null, ahead, behind, other.cursor, ...foreign]) expect(changes.since(cursor)).toEqual(clear);
    expect(changes.since(early).clear).toBe(false);
    expect(new RecentChanges().since('.0')).toEqual(clear);
  });

  it('says clear for all earlier cursors once the cache was cleared, or the history is another one', () => {
    for (const more of [{ overflow: true }, { epoch: 'restored' }]) {
      const changes = started();
      const { cursor } = changes;
      changes.add(10, snapshot(12, [key('a', 11)], more));
      expect(changes.since(cursor)).toEqual(clear);
      expect(changes.since(changes.cursor).clear).toBe(false);
    }
  });

  it('says clear for a cursor of a state that the database has left, also when its revision is passed again', () => {
    const changes = started();
    const { cursor } = changes;
    changes.add(10, snapshot(5, [], { overflow: true }));
    for (let revision = 6; revision <= 12; revision += 1)
      changes.add(revision - 1, snapshot(revision, [key('a', revision)]));
    expect(changes.since(cursor)).toEqual(clear);
    expect(changes.since(changes.cursor).clear).toBe(false);
  });

  it('says clear when too much has changed since, and forgets what is old', () => {
    const changes = started();
    const first = changes.cursor;
    const many = Array.from({ length: 1001 }, (_, i) => key(`key ${i}`, 11));
    changes.add(10, snapshot(11, many));
    expect(changes.since(first)).toEqual(clear);
    const second = changes.cursor;
    for (let revision = 12; revision < 10_112; revision += 1) {
      changes.add(revision - 1, snapshot(revision, [key('one key', revision)]));
    }
    expect(changes.since(second)).toEqual(clear);
    expect(changes.since(changes.cursor.replace(/\d+$/, '10000')).changed).toEqual(['one key']);
  });
});
