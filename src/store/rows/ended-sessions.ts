import { endedSessionTable } from '../changes/bulk-rows.ts';
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
  async end(id: string, expiresAt: Date, holder: string): Promise<boolean> {
    const turn = { holder };
    let hasEndedNow = false;
    await this.#changes.perform(async (_, bulk) => {
      const written = await bulk.insertReturning(endedSessionTable, [{ id, startedBy: null, expiresAt }], ['id']);
      hasEndedNow = written.length > 0;
    }, turn);
    return hasEndedNow;
  }

  /** Ends the sessions that the identity provider names. When this returns, no instance accepts them. */
  async endOfProvider({ id, startedBy, expiresAt }: EndedSession): Promise<void> {
    const turn = { holder: 'the identity provider' };
    await this.#changes.perform(async (transaction) => {
      const before = await transaction.endedSession.findUnique({ where: { id } });
      // Messages of the provider can arrive in another order than they were sent.
      const latest = before === null || isEarlier(before.startedBy, startedBy) ? startedBy : before.startedBy;
      const row = { startedBy: latest, expiresAt };
      await transaction.endedSession.upsert({ where: { id }, create: { id, ...row }, update: row });
    }, turn);
  }
}

function isEarlier(one: Date | null, other: Date | null): boolean {
  return one !== null && (other === null || one < other);
}
