import type { Span, Traces } from './spans.ts';

/** The spans of management calls in progress, by request id, so that inner code finds the span of its call. */
export class CallSpans {
  readonly traces: Traces;
  readonly #spans = new Map<string, Span>();

  constructor(traces: Traces) {
    this.traces = traces;
  }

  of(requestId: string): Span | undefined {
    return this.#spans.get(requestId);
  }

  begin(requestId: string, span: Span): void {
    this.#spans.set(requestId, span);
  }

  end(requestId: string): void {
    this.#spans.delete(requestId);
  }
}
