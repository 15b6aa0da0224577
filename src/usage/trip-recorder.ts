/** Reports presented tripwires (domain/key), each at most once a minute. */
import { formatIpAddress, type IpAddress } from '../domain/source/ip-address.ts';
import { LruMap } from '../lib/lru-map.ts';
import type { ControlPlane, Trip } from '../wire/control-plane.ts';
import { PeriodicWriter } from './periodic-writer.ts';

/** A key that can be a tripwire. */
export interface TrippedKey {
  readonly id: string;
  readonly tripwire: boolean;
  readonly revoked: boolean;
  readonly disabled: boolean;
}

const flushIntervalMs = 500;
export const tripIntervalMs = 60_000;
/** Which is forgotten is reported again, and management writes no second event within the minute. */
const maxRemembered = 10_000;

export class TripRecorder extends PeriodicWriter<Trip> {
  readonly #controlPlane: Pick<ControlPlane, 'addTrips'>;
  readonly #recordedAt = new LruMap<number>(maxRemembered);
  #trips = new Map<string, Trip>();

  constructor(controlPlane: Pick<ControlPlane, 'addTrips'>, report: (error: unknown) => void) {
    super(flushIntervalMs, report);
    this.#controlPlane = controlPlane;
  }

  override get waiting(): number {
    return this.#trips.size;
  }

  /** A tripwire that was revoked or disabled is only an unknown key. */
  record({ id, revoked, disabled }: TrippedKey, source: IpAddress | undefined, now: number): void {
    const sinceLast = now - (this.#recordedAt.get(id) ?? Number.NEGATIVE_INFINITY);
    // Negative after the clock was set back, which must not silence it.
    const isRecent = sinceLast >= 0 && sinceLast < tripIntervalMs;
    if (revoked || disabled || isRecent || this.#trips.size >= maxRemembered) return;
    this.#recordedAt.set(id, now);
    this.#trips.set(id, {
      keyId: id,
      source: source === undefined ? null : formatIpAddress(source),
      at: new Date(now),
    });
    this.schedule();
  }

  protected override async write(chunk: readonly Trip[]): Promise<void> {
    await this.#controlPlane.addTrips(chunk);
  }

  protected override restore(unwritten: Trip): void {
    if (!this.#trips.has(unwritten.keyId)) this.#trips.set(unwritten.keyId, unwritten);
  }

  protected override take(): readonly Trip[] {
    const taken = [...this.#trips.values()];
    this.#trips = new Map();
    return taken;
  }
}
