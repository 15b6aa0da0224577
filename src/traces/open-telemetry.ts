/** Traces over OTLP/HTTP. OpenTelemetry also reads variables such as OTEL_EXPORTER_OTLP_HEADERS and OTEL_SERVICE_NAME. */
import { randomUUID } from 'node:crypto';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '../lib/timeout.ts';
import { WindowCounts } from '../lib/window-counts.ts';
import type { Span, SpanAttributes, Traces } from './spans.ts';

interface TraceOptions {
  /** The URL of the collector. `/v1/traces` is appended, as the OTLP specification requires. */
  readonly endpoint: string;
  /** The share of verifications that are traced if their caller sends no trace context. */
  readonly verificationRatio: number;
  readonly report: (error: unknown, what: string) => void;
}

/** The timeout of an export. Short, so that a collector that does not answer can't delay the shutdown. */
const timeoutMs = 2000;

const maxTracedPerSecond = 100;

/** Limits traced verifications: behind a gateway, any client on the Internet can request a trace by `traceparent`. */
export class VerificationSampling {
  readonly #ratio: number;
  readonly #traced = new WindowCounts({ limit: maxTracedPerSecond, windowSeconds: 1 });

  constructor(ratio: number) {
    this.#ratio = ratio;
  }

  /** @param requested the sampled flag of the caller's trace context; undefined without a context */
  shouldTrace(requested: boolean | undefined, nowMs: number): boolean {
    if (!(requested ?? Math.random() < this.#ratio)) return false;
    return this.#traced.take('all clients', nowMs) === null;
  }
}

export function openTraces(options: TraceOptions): Traces {
  const provider = openProvider(options);
  const tracer = provider.getTracer('latchkey');
  const sampling = new VerificationSampling(options.verificationRatio);
  const start = (name: string, attributes: SpanAttributes, parent: Context): Span | null => {
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return span.isRecording() ? spanOver(tracer, span, parent) : null;
  };
  return {
    startCall: ({ name, attributes, traceparent }) => start(name, attributes, contextOf(parentOf(traceparent))),
    startVerification: (route, traceparent) => {
      const parent = parentOf(traceparent);
      const requested = parent === null ? undefined : (parent.traceFlags & 1) === 1;
      if (!sampling.shouldTrace(requested, performance.now())) return null;
      return start(route, { 'http.route': route }, contextOf(parent));
    },
    close: () =>
      withTimeout(
        provider.shutdown().catch(() => undefined),
        timeoutMs,
        undefined,
      ),
  };
}

function openProvider({ endpoint, report }: TraceOptions): TracerProvider {
  setGlobalErrorHandler((error) => {
    // Reports only the message, because the error may contain the whole response of the collector.
    report(new Error(error instanceof Error ? error.message : String(error)), 'traces could not be sent');
  });
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: timeoutMs,
  });
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'latchkey', 'service.instance.id': randomUUID() }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMs })],
  });
}

function spanOver(tracer: Tracer, span: SdkSpan, parent: Context): Span {
  return {
    startChild: (name, attributes = {}) => {
      const context = trace.setSpan(parent, span);
      return spanOver(tracer, tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, context), context);
    },
    end: (attributes, failed) => {
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Ignores `tracestate`, because it is free text of the caller and would be part of every span. */
const parentOf = (traceparent = '') => parseTraceParent(traceparent);

const contextOf = (parent: ReturnType<typeof parentOf>) =>
  parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
