/** Calls from one process of the service to another, over IPC. */

import { LatchkeyError } from '../../domain/errors.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';
import {
  type Callee,
  type CallOf,
  type CallOutcome,
  type CallTo,
  sendToSupervisor,
  type ToProcess,
} from './messages.ts';

/** Longer than the store's timeout for a change, so that the store's error arrives. Shorter than `reportTimeoutMs`. */
export const callTimeoutMs = 20_000;

interface CallOptions {
  readonly timeoutMs?: number;
  /** Tells the other process to cancel the call. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the other process reports that the call has passed its first part. */
  readonly onProgress?: (() => void) | undefined;
}

interface Pending {
  readonly to: Callee;
  readonly settle: (outcome: CallOutcome) => void;
  readonly onProgress: (() => void) | undefined;
}

export class ProcessLink {
  readonly #pending = new Map<string, Pending>();
  #count = 0;

  receive(message: ToProcess): void {
    if (message.kind === 'reply') this.#pending.get(message.id)?.settle(message.outcome);
    else if (message.kind === 'progress') this.#pending.get(message.id)?.onProgress?.();
    else if (message.kind === 'ended') this.#failAll(message.callee);
  }

  /** Calls the method in the other process, which runs the same build, and resolves to the result. */
  call<Value>(call: CallTo, { timeoutMs, signal, onProgress }: CallOptions = {}): Promise<Value> {
    const { to } = call;
    this.#count += 1;
    // The process id is included, so that a reply to a replaced process never settles a call of this process.
    const id = `${process.pid} ${this.#count}`;
    return new Promise((resolve, reject) => {
      const settle = (outcome: CallOutcome) => {
        end();
        if (outcome.ok) resolve(outcome.value as Value);
        else reject(new LatchkeyError(outcome.code, outcome.message));
      };
      const abort = () => {
        end();
        sendToSupervisor({ kind: 'cancel', to, id });
        reject(signal?.reason);
      };
      const end = () => {
        this.#pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(unavailable(to)), timeoutMs);
      signal?.addEventListener('abort', abort);
      this.#pending.set(id, { to, settle, onProgress });
      sendToSupervisor({ kind: 'call', id, call });
    });
  }

  /** Fails all pending calls to a process that has ended, which may have carried out some of them. */
  #failAll(callee: Callee): void {
    for (const { to, settle } of [...this.#pending.values()]) if (to === callee) settle(unavailable(callee));
  }
}

/** Returns the control plane of the management process. */
export function controlPlaneOver(link: ProcessLink): ControlPlane {
  const to = 'management';
  const call = <Value>(of: CallOf<ControlPlane>) => link.call<Value>({ to, ...of }, { timeoutMs: callTimeoutMs });
  return {
    addUsage: (...args) => call({ method: 'addUsage', arguments: args }),
    addTrips: (...args) => call({ method: 'addTrips', arguments: args }),
    addSources: (...args) => call({ method: 'addSources', arguments: args }),
    addRates: (...args) => call({ method: 'addRates', arguments: args }),
    announceTokens: (...args) => call({ method: 'announceTokens', arguments: args }),
    revokeOwnKey: (...args) => call({ method: 'revokeOwnKey', arguments: args }),
    reportLeaks: (...args) => call({ method: 'reportLeaks', arguments: args }),
  };
}

export function unavailable(callee: Callee): CallOutcome {
  const message =
    callee === 'management'
      ? 'Management does not answer; try again shortly.'
      : 'The process that sends webhooks does not answer; try again shortly.';
  return { ok: false, code: 'UNAVAILABLE', message };
}

export async function perform(
  controlPlane: ControlPlane,
  call: CallOf<ControlPlane>,
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
