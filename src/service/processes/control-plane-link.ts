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
    addUsage: async (records) => {
      await this.#call({ method: 'addUsage', arguments: [records] });
    },
    addSources: async (records) => {
      await this.#call({ method: 'addSources', arguments: [records] });
    },
    exchangeCounts: async (counts) => {
      const totals = await this.#call({ method: 'exchangeCounts', arguments: [counts] });
      return Array.isArray(totals) ? totals.map(Number) : [];
    },
    revokeOwnKey: async (keyId, call) =>
      (await this.#call({ method: 'revokeOwnKey', arguments: [keyId, call] })) === true,
    recordConflict: async (keyIds, seenAt) => {
      await this.#call({ method: 'recordConflict', arguments: [keyIds, seenAt] });
    },
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

  #call(call: ControlPlaneCall): Promise<unknown> {
    this.#count += 1;
    // With the process id, because a reply to the previous process must not settle a call of this one.
    const id = `${process.pid} ${this.#count}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.settle(id, managementUnavailable), callTimeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      sendToSupervisor({ kind: 'call', id, call });
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
    const value = await carryOut(controlPlane, call);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof LatchkeyError) return { ok: false, code: error.code, message: error.message };
    report(error, 'a call of a verification process failed');
    return { ok: false, code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong on our side.' };
  }
}

function carryOut(controlPlane: ControlPlane, call: ControlPlaneCall): Promise<unknown> {
  switch (call.method) {
    case 'addUsage':
      return controlPlane.addUsage(...call.arguments);
    case 'addSources':
      return controlPlane.addSources(...call.arguments);
    case 'exchangeCounts':
      return controlPlane.exchangeCounts(...call.arguments);
    case 'revokeOwnKey':
      return controlPlane.revokeOwnKey(...call.arguments);
    case 'recordConflict':
      return controlPlane.recordConflict(...call.arguments);
  }
}
