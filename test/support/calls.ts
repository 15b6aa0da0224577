/** Calls of a service as its clients make them: keys over REST, verdicts at the verification port. */
import { randomUUID } from 'node:crypto';
import { signRequest } from '../../src/client/sign.ts';
import { checkedFetch } from './checked-fetch.ts';
import { type Instance, until } from './instance.ts';
import { both, rest, sessionToken } from './service.ts';

export const teamId = randomUUID();
export const token = sessionToken({ [teamId]: both });

export interface MadeKey {
  readonly id: string;
  readonly secret: string;
}

export async function makeKey({ url }: Pick<Instance, 'url'>): Promise<MadeKey> {
  const answer = await rest(url, token, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  if (answer.status !== 201) throw new Error(`no key: ${answer.status}`);
  return answer.body;
}

export async function enableSigning({ url }: Pick<Instance, 'url'>, { id }: MadeKey): Promise<string> {
  return (await rest(url, token, 'POST', `/v1/keys/${id}/signing/enable`)).body.signingSecret;
}

/** Creates and revokes keys until `work` is done, which begins after 20 of them. Returns these 20, and its result. */
export async function whileKeysChange<T>(service: Instance, work: () => Promise<T>) {
  let isOver = false;
  const revoked: MadeKey[] = [];
  const changing = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const key = await makeKey(service);
      await rest(service.url, token, 'PATCH', `/v1/keys/${key.id}`, { name: 'Another name' });
      await rest(service.url, token, 'DELETE', `/v1/keys/${key.id}`);
      revoked.push(key);
    }
  });
  await until('20 keys are revoked', () => revoked.length >= 20);
  const before = revoked.slice(0, 20);
  const result = await work();
  isOver = true;
  await Promise.all(changing);
  return { before, result };
}

const target = { method: 'GET', url: 'https://api.example.test/orders?limit=5' };

/** The body of a `POST /v1/verify`, with a fresh signature where there is a signing secret. */
export async function verifyBody({ id, secret }: MadeKey, signingSecret?: string): Promise<string> {
  if (signingSecret === undefined) return JSON.stringify({ key: secret });
  const headers = await signRequest(target, { keyId: id, signingSecret, expiresInSeconds: 300 });
  return JSON.stringify({ key: secret, request: { ...target, headers } });
}

/** Returns the code of the verdict. Throws if the answer has none. */
export async function verdictOn({ verifyUrl }: Pick<Instance, 'verifyUrl'>, body: string): Promise<string> {
  const response = await checkedFetch(`${verifyUrl}/v1/verify`, { method: 'POST', body });
  const answer = (await response.json()) as { readonly code: string };
  if (response.status !== 200) throw new Error(`${response.status} ${answer.code}`);
  return answer.code;
}
