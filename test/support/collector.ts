/** A stand-in for an OpenTelemetry collector: takes OTLP over HTTP, and keeps what it is sent. */
import { createServer } from 'node:http';
import { listen, stopListening } from './gateway.ts';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number };
}

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that came, as it came. */
  readonly received: () => string;
  readonly resource: () => Readonly<Record<string, unknown>>;
  readonly stop: () => Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let received = '';
  let resource: Readonly<Record<string, unknown>> = {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      received += `${request.url}\n${JSON.stringify(request.headers)}\n${body}\n`;
      if (request.url !== '/v1/traces') {
        response.writeHead(404).end();
        return;
      }
      for (const { resource: described, scopeSpans } of JSON.parse(body).resourceSpans) {
        resource = attributesOf(described.attributes);
        for (const scope of scopeSpans) spans.push(...scope.spans.map(collected));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const endpoint = await listen(server);
  return { endpoint, spans, received: () => received, resource: () => resource, stop: () => stopListening(server) };
}

function collected({ traceId, spanId, parentSpanId, name, attributes, status }: OtlpSpan): CollectedSpan {
  return { traceId, spanId, parentSpanId, name, failed: status.code === 2, attributes: attributesOf(attributes) };
}

function attributesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]));
}

function textOf({ stringValue, intValue, arrayValue }: OtlpValue): unknown {
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? arrayValue?.values.map(textOf);
}
