/** The messages between the processes of one service. All messages go through the supervisor's IPC channels. */

import type { ErrorCode } from '../../domain/errors.ts';
import type { WebhookRequest } from '../../events/sender/webhook-sender.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';

export type Plane = 'management' | 'verification' | 'sender';

/** The processes that others call. */
export type Callee = 'management' | 'sender';

export interface CallOf<Api extends object> {
  readonly method: keyof Api;
  readonly arguments: Parameters<Extract<Api[keyof Api], (...args: never[]) => unknown>>;
}

export type CallTo =
  | ({ readonly to: 'management' } & CallOf<ControlPlane>)
  | { readonly to: 'sender'; readonly method: 'send'; readonly arguments: readonly [WebhookRequest] };

export type CallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export type ToSupervisor =
  /** The process receives messages from now on. Earlier messages are lost. */
  | { readonly kind: 'loaded' }
  /** From management: the database is migrated and the secrets match it. */
  | { readonly kind: 'prepared' }
  /** The ports are null if the process has none. */
  | { readonly kind: 'ready'; readonly port: number | null; readonly extAuthzPort: number | null }
  | { readonly kind: 'pong' }
  /** From management: it has printed the welcome text, if any. */
  | { readonly kind: 'welcomed' }
  | { readonly kind: 'call'; readonly id: string; readonly call: CallTo }
  | { readonly kind: 'cancel'; readonly to: Callee; readonly id: string }
  /** The call has passed its first part: the receiver of a webhook has answered with a status. */
  | { readonly kind: 'progress'; readonly to: string; readonly id: string }
  | { readonly kind: 'reply'; readonly to: string; readonly id: string; readonly outcome: CallOutcome };

export type ToProcess =
  /** To verification: the store may be opened. */
  | { readonly kind: 'open' }
  /** To management: the port on which verification listens. */
  | { readonly kind: 'verification-port'; readonly port: number }
  /** To management: every process is ready for the first time. */
  | { readonly kind: 'started' }
  | { readonly kind: 'call'; readonly from: string; readonly id: string; readonly call: CallTo }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'progress'; readonly id: string }
  | { readonly kind: 'reply'; readonly id: string; readonly outcome: CallOutcome }
  /** To the callers of a process: it has ended, and pending calls will get no reply. */
  | { readonly kind: 'ended'; readonly callee: Callee }
  /** To management: the process that sends webhooks takes calls. */
  | { readonly kind: 'sender-ready' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'drain' }
  /** To management, while it drains: verification has ended and will write no more usage. */
  | { readonly kind: 'close' };

export function sendToSupervisor(message: ToSupervisor): void {
  // If the supervisor has ended, this process ends too.
  if (process.connected) process.send?.(message);
}

export function onSupervisorMessage(listener: (message: ToProcess) => void): void {
  process.on('message', (message) => {
    if (hasKind(message)) listener(message as ToProcess);
  });
}

/** Distinguishes these messages from other messages on the same channel, such as requests for metrics. */
export function hasKind(message: unknown): message is { readonly kind: string } {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
