import { checkExchange } from './openapi-contract.ts';

interface Sent extends RequestInit {
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** `fetch`, with the call and its answer held against the OpenAPI description. */
export async function checkedFetch(url: string, sent: Sent = {}): Promise<Response> {
  const response = await fetch(url, sent);
  checkExchange({
    method: sent.method ?? 'GET',
    path: url.replace(/^\w+:\/\/[^/]*/, ''),
    headers: Object.fromEntries(new Headers(sent.headers)),
    body: sent.body,
    status: response.status,
    header: (name) => response.headers.get(name),
    answer: await response.clone().text(),
  });
  return response;
}
