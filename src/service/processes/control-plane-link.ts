/** Calls from verification processes to management, over IPC. */

import { LatchkeyError } from '../../domain/errors.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import { type CallOutcome, type ControlPlaneCall, sendToSupervisor } from './messages.ts';

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** Longer than the store's timeout for a change, so that the error comes from the store. Edges wait longer for a report. */
export const callTimeoutMs = 20_000;

export class ControlPlaneLink {
  readonly controlPlane: ControlPlane = {
    addUsage: (...args) => this.#call('addUsage', args),
    addSources: (...args) => this.#call('addSources', args),
    exchangeCounts: (...args) => this.#call('exchangeCounts', args),
    revokeOwnKey: (...args) => this.#call('revokeOwnKey', args),
    recordConflict: (...args) => this.#call('recordConflict', args),
  };
  readonly #pending = new Map<string, PendingCall>();
  #count = 0;

  settle(id: string, outcome: CallOutcome): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (outcome.ok) pending.resolve(outcome.value);
    else pending.reject(new LatchkeyError(outcome.code, outcome.message));
  }

  /** Fails all pending calls, because management has ended. Whether they were carried out is not known. */
  failAll(): void {
    for (const id of [...this.#pending.keys()]) this.settle(id, managementUnavailable);
  }

  /** Resolves to what the method returned in the management process, which runs the same build. */
  #call<Method extends keyof ControlPlane, Value>(
    method: Method,
    args: Parameters<ControlPlane[Method]>,
  ): Promise<Value> {
    this.#count += 1;
    // With the process id, because a reply to the previous process must not settle a call of this one.
    const id = `${process.pid} ${this.#count}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.settle(id, managementUnavailable), callTimeoutMs);
      this.#pending.set(id, { resolve: (value) => resolve(value as Value), reject, timer });
      sendToSupervisor({ kind: 'call', id, call: { method, arguments: args } });
    });
  }
}

export const managementUnavailable: CallOutcome = {
  ok: false,
  code: 'UNAVAILABLE',
  message: 'Management does not answer; try again shortly.',
};

/** Carries out a call in the management process. */
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
