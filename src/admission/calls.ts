/**
 * The admission of the management process: as many calls at once as it can serve, in turns. Calls above the limit get an
 * error immediately: in a queue, latency and memory would grow without bound.
 *
 * Revocations come first: a leaked key must be revocable while other callers use the whole port. Revocations have turns
 * and slots of their own, and their operations wait only for revocations of the same team. While one runs, other calls
 * start less often. The attacks expensive-documents and many-changes of `npm run load -- hostile` revoke keys meanwhile.
 */
import { AsyncResource } from 'node:async_hooks';
import { type Credential, holderOf } from '../domain/access/credential.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Session } from '../domain/key/permission.ts';
import { shareHolderOf } from '../domain/source/client-network.ts';
import { type Release, type Share, type SlotAnswer, Slots } from './slots.ts';
import { Turns } from './turns.ts';

/** A revocation takes milliseconds, so this many run within a second. Additional ones are ordinary calls. */
const revocationSlots = { total: 512, perCaller: 8 };
/**
 * Calls that wait for events. Each costs a connection and some 50 kB of memory, for 30 s at most. They have slots of their
 * own, because some hundred of them would leave none to calls that work (the attack long-polls).
 */
export const waitingSlots = { total: 512, perCaller: 16, perTeam: 64 } as const;

/** Two starts of each of 32 calls. Usually, the time limit of a turn ends it earlier. */
const maxStartsPerTurn = 64;
/**
 * Between starts, leaves turns of the event loop to new connections (Node accepts one per turn) and to running calls
 * (each continues once per turn). A turn without work takes microseconds.
 */
const rest = { turns: 64, ms: 5 };
/** Short enough that a series of revocations does not block other calls. */
const restWhileRevoking = { turns: 256, ms: 50 };

export interface CallsOptions {
  readonly maxCalls: number;
  /** The maximum cost of the operations of a team that run at once. */
  readonly maxCost: number;
  readonly counters: { underWay: number; turnedAway: number };
  readonly report: (error: unknown, what: string) => void;
}

/** Who calls. */
export interface CallerOfCall {
  readonly session: Session;
  readonly credential: Credential | null;
  readonly source: string | null;
}

export class Calls {
  readonly #options: CallsOptions;
  readonly #slots: Slots;
  readonly #revocationSlots = new Slots(revocationSlots.total);
  readonly #waitingSlots = new Slots(waitingSlots.total);
  /** The slots are points of cost, and only the share of each team is limited. */
  readonly #operations = new Slots();
  readonly #revocationTurns = new Turns({ maxPerTurn: maxStartsPerTurn, rest: () => rest });
  readonly #turns = new Turns({
    maxPerTurn: maxStartsPerTurn,
    rest: () => (this.#revoking > 0 ? restWhileRevoking : rest),
  });
  /**
   * For the large bodies of unauthenticated clients: their parts take as long as many starts, and would leave calls that
   * start in the same turns no time (the attack unsigned-reports).
   */
  readonly #bodyTurns = new Turns({ maxPerTurn: 1, rest: () => rest });
  #revoking = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxCalls);
  }

  get isFull(): boolean {
    return this.#slots.isFull;
  }

  /** Starts what a connection sends in one of the next turns, in which addresses, and then their connections, alternate. */
  arrive(address: string | undefined, connection: string, isRevocation: boolean, start: () => void): void {
    const turns = isRevocation ? this.#revocationTurns : this.#turns;
    turns.run(shareHolderOf(address), connection, start);
  }

  /** Calls back when the next part of a large body may be read. */
  read(address: string | null, connection: string, start: () => void): void {
    this.#bodyTurns.run(shareHolderOf(address), connection, start);
  }

  /** Takes a slot. Throws RATE_LIMITED if the caller has used its share, UNAVAILABLE if there is none. */
  enter(caller: CallerOfCall, isRevocation: boolean): AdmittedCall {
    const team = teamOf(caller.session);
    const reserved =
      isRevocation && mayRevoke(caller.session)
        ? this.#revocationSlots.take(sharesOf(caller, team, revocationSlots))
        : null;
    const isUrgent = reserved?.outcome === 'taken';
    const { maxCalls, maxCost } = this.#options;
    const callSlots = { total: maxCalls, perCaller: Math.ceil(maxCalls / 4) };
    const takeSlot = () => this.#hold(this.#slots.take(sharesOf(caller, team, callSlots)));
    const release = isUrgent ? this.#hold(reserved) : takeSlot();
    if (isUrgent) this.#revoking += 1;
    return new AdmittedCall({
      isUrgent,
      release,
      takeSlot,
      takeWaitingSlot: () => this.#waitingSlots.take(sharesOf(caller, team, waitingSlots)),
      // Keeps the call's async context, with its span, because a waiting call is started by another call.
      inTurn: (start) => this.#turns.run(team, caller.session.subject, AsyncResource.bind(start)),
      inCost: (cost, start) => {
        const share = { holder: isUrgent ? `revocations ${team}` : team, maxSlots: maxCost };
        return this.#operations.wait(share, start, cost);
      },
      endRevoking: () => {
        this.#revoking -= 1;
      },
    });
  }

  /** The error of a call above the limit of the process. */
  tooMany(): LatchkeyError {
    const { counters, report } = this.#options;
    counters.turnedAway += 1;
    const error = new LatchkeyError('UNAVAILABLE', 'Too many calls are under way; try again shortly.');
    report(error, 'management calls were rejected because too many are in progress');
    return error;
  }

  /** Returns what releases the slot. Throws RATE_LIMITED or UNAVAILABLE if there is none. */
  accept(slot: SlotAnswer): Release {
    if (slot.outcome === 'taken') return slot.release;
    throw slot.outcome === 'full' ? this.tooMany() : shareUsed();
  }

  /** Counts a call that has a slot, until it releases the slot. */
  #hold(slot: SlotAnswer): Release {
    const release = this.accept(slot);
    const { counters } = this.#options;
    counters.underWay += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      counters.underWay -= 1;
      release();
    };
  }
}

interface Entry {
  readonly isUrgent: boolean;
  readonly release: Release;
  readonly takeSlot: () => Release;
  readonly takeWaitingSlot: () => SlotAnswer;
  readonly inTurn: (start: () => void) => void;
  readonly inCost: (cost: number, start: (release: Release) => void) => () => void;
  readonly endRevoking: () => void;
}

/** A call that has a slot, whose operations run one after the other. */
export class AdmittedCall {
  readonly #entry: Entry;
  #release: Release;
  #giveUp: () => void = () => undefined;
  #isRevoking: boolean;
  #isClosed = false;

  constructor(entry: Entry) {
    this.#entry = entry;
    this.#release = entry.release;
    this.#isRevoking = entry.isUrgent;
  }

  /** Continues in the team's turn; a revocation at once. */
  continue(next: () => void): void {
    if (this.#entry.isUrgent) next();
    else this.#entry.inTurn(next);
  }

  /**
   * Resolves when an operation of this cost may run, to the function to call when it has ended. Never settles if the
   * client disconnects.
   */
  async startOperation(cost: number): Promise<Release> {
    return await new Promise((resolve) => {
      this.#giveUp = this.#entry.inCost(cost, resolve);
    });
  }

  /**
   * Leaves the slot while the call waits for events, and takes one again. The signal is aborted when the client
   * disconnects; the promise then never settles. Throws RATE_LIMITED if too many calls wait.
   */
  async standAside<Result>(wait: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const place = this.#entry.takeWaitingSlot();
    if (place.outcome !== 'taken') throw tooManyWait();
    this.#release();
    const abort = new AbortController();
    this.#release = () => {
      place.release();
      abort.abort();
    };
    let result: Result;
    try {
      result = await wait(abort.signal);
    } finally {
      place.release();
    }
    if (this.#isClosed) return await new Promise(() => undefined);
    this.#release = this.#entry.takeSlot();
    await new Promise<void>((resolve) => this.#entry.inTurn(resolve));
    return result;
  }

  /**
   * Called when the response is complete. A client that does not read it does not slow others down. The slot limits the
   * memory of such responses.
   */
  answered(): void {
    if (this.#isRevoking) this.#entry.endRevoking();
    this.#isRevoking = false;
  }

  /** Called when the kernel has the response, or the client has disconnected: releases the slot. */
  close(): void {
    this.#isClosed = true;
    this.answered();
    this.#giveUp();
    this.#release();
  }
}

function shareUsed(): LatchkeyError {
  const message = 'Too many calls of this caller, team or address are under way; try again shortly.';
  return new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds: 1 });
}

function tooManyWait(): LatchkeyError {
  const message =
    'Too many calls of this caller, team or address wait for events. Call again later, or without `wait`.';
  return new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds: 5 });
}

/** Returns a name for the caller's teams. Callers with the same teams share turns: a team can have many callers. */
export function teamOf({ subject, teams }: Session): string {
  return teams.size === 0 ? `subject ${subject}` : [...teams.keys()].sort().join(' ');
}

interface ShareSizes {
  readonly total: number;
  readonly perCaller: number;
  /** Default: half of the total. */
  readonly perTeam?: number;
}

/**
 * Returns the shares of a caller. An address may use half of the slots, because many callers can share a proxy. A team
 * may not use more, because its operations wait for each other and could hold all slots for a long time.
 */
function sharesOf(
  { source, ...caller }: CallerOfCall,
  team: string,
  { total, perCaller, perTeam = Math.ceil(total / 2) }: ShareSizes,
): readonly Share[] {
  return [
    { holder: `subject ${holderOf(caller)}`, maxSlots: perCaller },
    { holder: `team ${team}`, maxSlots: perTeam },
    { holder: `address ${shareHolderOf(source)}`, maxSlots: Math.ceil(total / 2) },
  ];
}

/** Returns whether the caller may revoke keys. Other callers get no reserved slots. */
function mayRevoke({ teams }: Session): boolean {
  return [...teams.values()].some((permissions) => permissions.has('manage_keys'));
}
