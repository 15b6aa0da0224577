/** Reports what edges have confirmed, for receipts: at most once a second, and not with each of their requests. */
import type { ControlPlane, VerifierState } from '../wire/control-plane.ts';
import { PeriodicWriter } from './periodic-writer.ts';

const flushIntervalMs = 1000;
/** As many edges as are counted (verify/edge-count.ts), and as many verifiers as a receipt names. */
const maxStates = 500;

export class StateRecorder extends PeriodicWriter<VerifierState> {
  readonly #controlPlane: Pick<ControlPlane, 'addUsage'>;
  readonly #own: () => VerifierState;
  #states = new Map<string, VerifierState>();

  /** @param own the state of this process, on whose state edges decide */
  constructor(
    controlPlane: Pick<ControlPlane, 'addUsage'>,
    own: () => VerifierState,
    report: (error: unknown) => void,
  ) {
    super(flushIntervalMs, report);
    this.#controlPlane = controlPlane;
    this.#own = own;
  }

  override get waiting(): number {
    return this.#states.size;
  }

  /** Replaces what is known of the verifier. */
  record(state: VerifierState): void {
    if (this.#states.size >= maxStates && !this.#states.has(state.id)) return;
    this.#states.set(state.id, state);
    this.schedule();
  }

  protected override async write(chunk: readonly VerifierState[]): Promise<void> {
    await this.#controlPlane.addUsage([], [this.#own(), ...chunk]);
  }

  protected override restore(unwritten: VerifierState): void {
    if (!this.#states.has(unwritten.id)) this.#states.set(unwritten.id, unwritten);
  }

  protected override take(): readonly VerifierState[] {
    const taken = [...this.#states.values()];
    this.#states = new Map();
    return taken;
  }
}
