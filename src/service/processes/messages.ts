/** The messages between the processes of one service. All messages go through the supervisor's IPC channels. */

import type { ErrorCode } from '../../domain/errors.ts';
import type { ControlPlane } from '../../wire/control-plane.ts';

export type Plane = 'management' | 'verification';

export interface ControlPlaneCall {
  readonly method: keyof ControlPlane;
  readonly arguments: Parameters<ControlPlane[keyof ControlPlane]>;
}

export type CallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export type ToSupervisor =
  /** The process receives messages from now on. Earlier messages are lost. */
  | { readonly kind: 'loaded' }
  /** From management: the database is migrated and the secrets match it. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ready'; readonly port: number; readonly extAuthzPort: number | null }
  | { readonly kind: 'pong' }
  /** From management: it has printed the welcome text, if any. */
  | { readonly kind: 'welcomed' }
  | { readonly kind: 'call'; readonly id: string; readonly call: ControlPlaneCall }
  | { readonly kind: 'reply'; readonly to: string; readonly id: string; readonly outcome: CallOutcome };

export type ToProcess =
  /** To verification: the store may be opened. */
  | { readonly kind: 'open' }
  /** To management: the port on which verification listens. */
  | { readonly kind: 'verification-port'; readonly port: number }
  /** To management: every process is ready for the first time. */
  | { readonly kind: 'started' }
  | { readonly kind: 'call'; readonly from: string; readonly id: string; readonly call: ControlPlaneCall }
  | { readonly kind: 'reply'; readonly id: string; readonly outcome: CallOutcome }
  /** To verification: pending calls will get no reply. */
  | { readonly kind: 'management-ended' }
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
