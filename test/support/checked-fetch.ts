import { checkExchange } from './openapi-contract.ts';

interface Sent extends RequestInit {
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** `fetch`, with the call and its answer held against the OpenAPI description. */
export async function checkedFetch(url: string, sent: Sent = {}): Promise<Response> {
  const response = await fetch(url, sent);
  // As it is sent: without dots for segments.
  const { pathname, search } = new URL(url);
  checkExchange({
    method: sent.method ?? 'GET',
    path: pathname + search,
    headers: Object.fromEntries(new Headers(sent.headers)),
    body: sent.body,
    status: response.status,
    header: (name) => response.headers.get(name),
    answer: await response.clone().text(),
  });
  return response;
}
