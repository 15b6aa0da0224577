/** The spans that both ports record. Independent of the tracing library. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Span {
  readonly startChild: (name: string, attributes?: SpanAttributes) => Span;
  readonly end: (attributes: SpanAttributes, failed: boolean) => void;
}

/** Names from fixed sets, numbers and Latchkey's ids. Never text from a caller, because it could be a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | string[]>>;

export interface CallStart {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** The header `traceparent` (W3C Trace Context); undefined if it was not sent. */
  readonly traceparent: string | undefined;
}

export interface Traces {
  /** Returns null if the caller's trace context says not to record. */
  readonly startCall: (call: CallStart) => Span | null;
  /** Returns null for verifications outside the sample. */
  readonly startVerification: (route: string, traceparent: string | undefined) => Span | null;
  readonly close: () => Promise<void>;
}

/** The span of the current management call. Verifications pass their span as an argument, which costs less. */
export const callSpan = new AsyncLocalStorage<Span>();

/** Returns the header `traceparent` if it was sent exactly once. */
export function traceparentOf({ traceparent }: Readonly<Record<string, string | string[] | undefined>>) {
  return typeof traceparent === 'string' ? traceparent : undefined;
}
