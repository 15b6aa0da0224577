/** The requests of gateways, with the expected answers. */
import { randomBytes, randomUUID } from 'node:crypto';
import { signRequest } from '../../../src/client/sign.ts';
import { mintSecret } from '../../../src/domain/secret/secret.ts';
import type { Call, Client } from '../../harness/client.ts';
import { random } from '../../harness/random.ts';
import { allowedSource, type SoakKeys } from './keys.ts';

/** The share of each request, in thousandths. */
const mix = {
  cached: 530,
  authorized: 100,
  uncached: 100,
  restricted: 80,
  signed: 60,
  replayed: 20,
  junk: 40,
  unknown: 30,
  revoked: 20,
  malformed: 10,
  abandoned: 8,
  stalled: 2,
};
/** The share of calls that close their connection. */
const churn = 0.02;

interface Request {
  readonly call: Call;
  readonly expected: string;
}

export function verifications(client: Client, keys: SoakKeys): () => Promise<string | null> | null {
  let usedSignature: Call | null = null;

  const harmless = verify({ key: '' }, 'MALFORMED').call;
  const requests = {
    cached: () => verify({ key: random.pick(keys.hot).secret, env: 'live' }, 'VALID'),
    authorized: () => authorize(random.pick(keys.hot).secret, 'VALID'),
    uncached: () => verify({ key: random.pick(keys.cold).secret }, 'VALID'),
    restricted: () => {
      const allowed = random.chance(0.5);
      const sourceIp = allowed ? allowedSource : '203.0.113.9';
      return verify({ key: random.pick(keys.restricted).secret, sourceIp }, allowed ? 'VALID' : 'SOURCE_NOT_ALLOWED');
    },
    signed: () => {
      const { id, secret, signingSecret } = random.pick(keys.signing);
      const request = { method: 'GET', url: `https://api.example.com/orders/${randomUUID()}` };
      const headers = { ...signRequest(request, { keyId: id, signingSecret }) };
      const verification = verify({ key: secret, request: { ...request, headers } }, 'VALID');
      // It may be repeated only once it was certainly used.
      setTimeout(() => {
        usedSignature = verification.call;
      }, usedAfterMs).unref();
      return verification;
    },
    replayed: () => ({ call: usedSignature ?? harmless, expected: usedSignature ? 'SIGNATURE_REPLAYED' : 'MALFORMED' }),
    junk: () => verify({ key: `lk_live_${randomUUID()}` }, 'MALFORMED'),
    unknown: () => verify({ key: mintSecret('lk', 'live', randomBytes).secret }, 'NOT_FOUND'),
    revoked: () => verify({ key: random.pick(keys.revoked).secret }, 'REVOKED'),
    malformed: () => verify({ key: 5, more: 'than is known' }, 'BAD_USER_INPUT'),
  } satisfies Record<string, () => Request>;

  return () => {
    const kind = random.pickWeighted(mix);
    if (kind === 'abandoned') client.abandon(requests.cached().call, random.whole(0, 19));
    else if (kind === 'stalled') client.stall();
    else return answered(client, requests[kind]());
    return null;
  };
}

/** Longer than an answer takes, and well within the time that a signature holds. */
const usedAfterMs = 20_000;

/** Returns what is wrong with the answer, if anything. */
async function answered(client: Client, { call, expected }: Request): Promise<string | null> {
  const reply = await client.call(call, { close: random.chance(churn) });
  if (reply === null) return `no answer instead of ${expected}`;
  const code = reply.headers['x-latchkey-code'] ?? /"code":"(\w+)"/.exec(reply.text)?.[1];
  return code === expected ? null : `${code} instead of ${expected}`;
}

function verify(body: object, expected: string): Request {
  return { call: { method: 'POST', path: '/v1/verify', body: JSON.stringify(body) }, expected };
}

function authorize(key: string, expected: string): Request {
  return { call: { method: 'GET', path: '/v1/authorize?env=live', token: key }, expected };
}
