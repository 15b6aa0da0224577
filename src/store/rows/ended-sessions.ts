import { Decision, type Load, type RowWrite } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

export interface EndedSession {
  readonly id: string;
  /** Ends only sessions that started until then. Null: whenever they started. */
  readonly startedBy: Date | null;
  /** When the row can be removed, because the session would have ended anyway. */
  readonly expiresAt: Date;
}

/** The sessions of browsers that ended before their time. */
export class EndedSessions {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  /** Returns whether one of the ids ended, for a session that started at this time. Each is read by primary key. */
  async hasEnded(ids: readonly string[], startedAt: Date): Promise<boolean> {
    const rows = await queryStore(() => this.#reader.endedSession.findMany({ where: { id: { in: [...ids] } } }));
    return rows.some(({ startedBy }) => startedBy === null || startedBy >= startedAt);
  }

  /**
   * Ends one session, or what can be used once. When this returns, no instance accepts it. Returns false if it had ended.
   * @param holder whose session it is, because holders take turns
   */
  async endOnce(id: string, expiresAt: Date, holder: string): Promise<boolean> {
    return await this.#changes.submit({
      queueKey: holder,
      load: endOf(id),
      decide: (end) => {
        if (end !== null) return new Decision(false);
        return new Decision(true, { rows: [insertEnd({ id, startedBy: null, expiresAt })] });
      },
    });
  }

  /** Ends the sessions that the identity provider names. When this returns, no instance accepts them. */
  async endOfProvider({ id, startedBy, expiresAt }: EndedSession): Promise<void> {
    await this.#changes.submit<void, EndedSession | null>({
      queueKey: 'the identity provider',
      load: endOf(id),
      decide: (before) => {
        if (before === null) return new Decision(undefined, { rows: [insertEnd({ id, startedBy, expiresAt })] });
        // Messages of the provider can arrive in another order than they were sent.
        const latest = isEarlier(before.startedBy, startedBy) ? startedBy : before.startedBy;
        return new Decision(undefined, { rows: [updateEnd({ id, startedBy: latest, expiresAt })] });
      },
    });
  }
}

function endOf(id: string): Load<EndedSession | null> {
  return { read: ({ endedSession }) => endedSession.findUnique({ where: { id } }) };
}

/** Fails if an older instance, which does not take the lock of all changes, has ended the session meanwhile. */
function insertEnd(data: EndedSession): RowWrite {
  return ({ transaction }) => transaction.endedSession.create({ data });
}

function updateEnd({ id, ...data }: EndedSession): RowWrite {
  return ({ transaction }) => transaction.endedSession.update({ where: { id }, data });
}

function isEarlier(one: Date | null, other: Date | null): boolean {
  return one !== null && (other === null || one < other);
}
