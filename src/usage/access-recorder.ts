/** Records who has access to teams, at most once a day for each person and team. A killed process loses one second. */
import { LruMap } from '../lib/lru-map.ts';
import { PeriodicWriter } from './periodic-writer.ts';

/** That a person has access to teams. */
export interface RecordedAccess {
  readonly subject: string;
  readonly teamIds: readonly string[];
  readonly at: Date;
  /** Whether these are all teams of the person, as the identity provider says: the person has left the others. */
  readonly isComplete: boolean;
}

interface AccessSink {
  readonly addAccess: (access: readonly RecordedAccess[]) => Promise<void>;
}

const flushIntervalMs = 1000;
const dayMs = 86_400_000;
/** Of people and teams. Who is forgotten is recorded again with the next call. */
const maxRemembered = 100_000;
/** Of people. At the maximum, calls are not recorded, and the next one of the person is. */
const maxWaiting = 10_000;

export class AccessRecorder extends PeriodicWriter<RecordedAccess> {
  readonly #sink: AccessSink;
  readonly #recordedAt = new LruMap<number>(maxRemembered);
  #access = new Map<string, RecordedAccess>();

  constructor(sink: AccessSink, report: (error: unknown) => void) {
    super(flushIntervalMs, report);
    this.#sink = sink;
  }

  override get waiting(): number {
    return this.#access.size;
  }

  /** Records that a session token or cookie gives access. */
  recordUse(subject: string, teams: Iterable<string>, at: Date): void {
    const teamIds = [...teams].filter((teamId) => this.#isDue(`${teamId} ${subject}`, at.getTime()));
    if (teamIds.length > 0) this.#add({ subject, teamIds, at, isComplete: false });
  }

  /** Records to which teams the identity provider gives access, and that it gives none to others. */
  recordAll(subject: string, teams: Iterable<string>, at: Date): void {
    const teamIds = [...teams];
    for (const teamId of teamIds) this.#recordedAt.set(`${teamId} ${subject}`, at.getTime());
    this.#add({ subject, teamIds, at, isComplete: true });
  }

  #isDue(name: string, now: number): boolean {
    const recordedAt = this.#recordedAt.get(name);
    if (recordedAt !== undefined && now - recordedAt < dayMs) return false;
    if (this.waiting >= maxWaiting) return false;
    this.#recordedAt.set(name, now);
    return true;
  }

  #add(access: RecordedAccess): void {
    // What the provider says replaces what it said before. A use adds to what was used before.
    const name = access.isComplete ? access.subject : `${access.subject}\n${access.teamIds.join()}`;
    const waiting = this.#access.get(name);
    // Messages of the provider can arrive in another order than they were sent.
    if (waiting === undefined || waiting.at <= access.at) this.#access.set(name, access);
    this.schedule();
  }

  protected override async write(chunk: readonly RecordedAccess[]): Promise<void> {
    await this.#sink.addAccess(chunk);
  }

  protected override restore(unwritten: RecordedAccess): void {
    this.#add(unwritten);
  }

  protected override take(): readonly RecordedAccess[] {
    const taken = [...this.#access.values()];
    this.#access = new Map();
    return taken;
  }
}
