/** Calls from verification processes to management, over IPC. */

import { LatchkeyError } from '../../domain/errors.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { type CallOutcome, type ControlPlaneCall, sendToSupervisor } from './messages.ts';

/** Longer than the store's timeout for a change, so that the store's error arrives. Shorter than `reportTimeoutMs`. */
export const callTimeoutMs = 20_000;

export class ControlPlaneLink {
  readonly controlPlane: ControlPlane = {
    addUsage: (...args) => this.#call('addUsage', args),
    addSources: (...args) => this.#call('addSources', args),
    exchangeCounts: (...args) => this.#call('exchangeCounts', args),
    revokeOwnKey: (...args) => this.#call('revokeOwnKey', args),
    reportLeaks: (...args) => this.#call('reportLeaks', args),
    recordConflict: (...args) => this.#call('recordConflict', args),
  };
  readonly #pending = new Map<string, (outcome: CallOutcome) => void>();
  #count = 0;

  settle(id: string, outcome: CallOutcome): void {
    this.#pending.get(id)?.(outcome);
  }

  /** Fails all pending calls when management has ended. Management may have carried out some of these calls. */
  failAll(): void {
    for (const settle of this.#pending.values()) settle(managementUnavailable);
  }

  /** Calls the method in the management process, which runs the same build, and resolves to the result. */
  #call<Method extends keyof ControlPlane, Value>(
    method: Method,
    args: Parameters<ControlPlane[Method]>,
  ): Promise<Value> {
    this.#count += 1;
    // The process id is included, so that a reply to a replaced process never settles a call of this process.
    const id = `${process.pid} ${this.#count}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.settle(id, managementUnavailable), callTimeoutMs);
      this.#pending.set(id, (outcome) => {
        this.#pending.delete(id);
        clearTimeout(timer);
        if (outcome.ok) resolve(outcome.value as Value);
        else reject(new LatchkeyError(outcome.code, outcome.message));
      });
      sendToSupervisor({ kind: 'call', id, call: { method, arguments: args } });
    });
  }
}

export const managementUnavailable: CallOutcome = {
  ok: false,
  code: 'UNAVAILABLE',
  message: 'Management does not answer; try again shortly.',
};

export async function perform(
  controlPlane: ControlPlane,
  call: ControlPlaneCall,
  report: (error: unknown, what: string) => void,
): Promise<CallOutcome> {
  try {
    return { ok: true, value: await Reflect.apply(controlPlane[call.method], controlPlane, call.arguments) };
  } catch (error) {
    if (error instanceof LatchkeyError) return { ok: false, code: error.code, message: error.message };
    report(error, 'a call of a verification process failed');
    return { ok: false, code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong on our side.' };
  }
}
