/** A stand-in for an OpenTelemetry collector: takes OTLP over HTTP, and keeps what it is sent. */
import { createServer } from 'node:http';
import { listen, stopListening } from './gateway.ts';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

type OtlpAttributes = readonly { readonly key: string; readonly value: OtlpValue }[];

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: OtlpAttributes;
  readonly status: { readonly code?: number };
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const spans: ReturnType<typeof collected>[] = [];
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
  // `received`: everything that came, as it came.
  return { endpoint, spans, received: () => received, resource: () => resource, stop: () => stopListening(server) };
}

function collected({ traceId, spanId, parentSpanId, name, attributes, status }: OtlpSpan) {
  return { traceId, spanId, parentSpanId, name, failed: status.code === 2, attributes: attributesOf(attributes) };
}

function attributesOf(attributes: OtlpAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]));
}

function textOf({ stringValue, intValue, arrayValue }: OtlpValue): unknown {
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? arrayValue?.values.map(textOf);
}
