/** The {@link Driver} for Latchkey's REST API. */
import type { CreatedKey, ManagementApi } from './driver.ts';

export async function create(api: ManagementApi, name: string): Promise<CreatedKey> {
  const body = JSON.stringify({ teamId: api.team, name, env: 'live' });
  const { id, secret } = await call(api, 'POST', '/v1/keys', body);
  if (typeof id !== 'string' || typeof secret !== 'string') throw new Error('POST /v1/keys returned no key');
  return { id, secret };
}

export async function revoke(api: ManagementApi, id: string): Promise<void> {
  await call(api, 'DELETE', `/v1/keys/${id}`);
}

export async function disable(api: ManagementApi, id: string): Promise<void> {
  await call(api, 'POST', `/v1/keys/${id}/disable`);
}

export async function enable(api: ManagementApi, id: string): Promise<void> {
  await call(api, 'POST', `/v1/keys/${id}/enable`);
}

const shownCharacters = 200;

async function call({ url, token }: ManagementApi, method: string, path: string, body?: string) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const what = `${method} ${url}${path}`;
  const response = await fetch(`${url}${path}`, { method, headers, redirect: 'manual', ...(body && { body }) }).catch(
    (cause: unknown) => {
      throw new Error(what, { cause });
    },
  );
  const text = await response.text();
  if (!response.ok) throw new Error(`${what} got ${response.status}: ${text.slice(0, shownCharacters)}`);
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error(`${what} got ${response.status} without JSON: ${text.slice(0, shownCharacters)}`);
  }
}
