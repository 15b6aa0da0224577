/** The spans that the ports report. Independent of the tracing backend. */

export interface Span {
  /** A part of it that begins now. */
  readonly startChild: (name: string, attributes?: SpanAttributes) => Span;
  readonly end: (attributes: SpanAttributes, failed: boolean) => void;
}

/**
 * Names from fixed sets, numbers and our own ids. Never a text from a caller, which could be a secret in the wrong
 * field.
 */
export type SpanAttributes = Readonly<Record<string, string | number | string[]>>;

export interface CallStart {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** The header of that name (W3C Trace Context); undefined if it was not sent. */
  readonly traceparent: string | undefined;
}

export interface Traces {
  /** Null where the caller has decided that the trace is not recorded. */
  readonly startCall: (call: CallStart) => Span | null;
  /** Null for all but a sample, because there is one verification for every request to a protected API. */
  readonly startVerification: (route: string, traceparent: string | undefined) => Span | null;
  /** Sends all pending spans. */
  readonly close: () => Promise<void>;
}

/** Returns the header if it was sent once. */
export function traceparentOf({ traceparent }: Readonly<Record<string, string | string[] | undefined>>) {
  return typeof traceparent === 'string' ? traceparent : undefined;
}
