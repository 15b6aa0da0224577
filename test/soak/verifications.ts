/** The questions of gateways, with the expected answers. */
import { randomBytes, randomUUID } from 'node:crypto';
import { signRequest } from '../../src/client/sign.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { chance, pick, pickWeighted } from '../torture/random.ts';
import type { Call, Client } from './client.ts';
import { allowedSource, type SoakKeys } from './keys.ts';

/** The share of each question, in thousandths. */
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
  dawdling: 2,
};
/** The share of calls that close their connection. */
const churn = 0.02;

interface Question {
  readonly call: Call;
  readonly expected: string;
}

export function verifications(client: Client, keys: SoakKeys): () => Promise<string | null> | null {
  let usedSignature: Call | null = null;

  const harmless = verify({ key: '' }, 'MALFORMED').call;
  const questions = {
    cached: () => verify({ key: pick(keys.hot).secret, env: 'live' }, 'VALID'),
    authorized: () => authorize(pick(keys.hot).secret, 'VALID'),
    uncached: () => verify({ key: pick(keys.cold).secret }, 'VALID'),
    restricted: () => {
      const allowed = chance(0.5);
      const sourceIp = allowed ? allowedSource : '203.0.113.9';
      return verify({ key: pick(keys.restricted).secret, sourceIp }, allowed ? 'VALID' : 'SOURCE_NOT_ALLOWED');
    },
    signed: () => {
      const { id, secret, signingSecret } = pick(keys.signing);
      const request = { method: 'GET', url: `https://api.example.com/orders/${randomUUID()}` };
      const headers = { ...signRequest(request, { keyId: id, signingSecret }) };
      const question = verify({ key: secret, request: { ...request, headers } }, 'VALID');
      // It may be repeated only once it was certainly used.
      setTimeout(() => {
        usedSignature = question.call;
      }, usedAfterMs).unref();
      return question;
    },
    replayed: () => ({ call: usedSignature ?? harmless, expected: usedSignature ? 'SIGNATURE_REPLAYED' : 'MALFORMED' }),
    junk: () => verify({ key: `lk_live_${randomUUID()}` }, 'MALFORMED'),
    unknown: () => verify({ key: mintSecret('lk', 'live', randomBytes).secret }, 'NOT_FOUND'),
    revoked: () => verify({ key: pick(keys.revoked).secret }, 'REVOKED'),
    malformed: () => verify({ key: 5, more: 'than is known' }, 'BAD_USER_INPUT'),
  } satisfies Record<string, () => Question>;

  return () => {
    const kind = pickWeighted(mix);
    if (kind === 'abandoned') client.abandon(questions.cached().call, Math.floor(Math.random() * 20));
    else if (kind === 'dawdling') client.dawdle();
    else return answered(client, questions[kind]());
    return null;
  };
}

/** Longer than an answer takes, and well within the time that a signature holds. */
const usedAfterMs = 20_000;

/** Returns what is wrong with the answer, if anything. */
async function answered(client: Client, { call, expected }: Question): Promise<string | null> {
  const reply = await client.call(call, chance(churn));
  if (reply === null) return `no answer instead of ${expected}`;
  const code = reply.headers['x-latchkey-code'] ?? /"code":"(\w+)"/.exec(reply.text)?.[1];
  return code === expected ? null : `${code} instead of ${expected}`;
}

function verify(body: object, expected: string): Question {
  return { call: { method: 'POST', path: '/v1/verify', body: JSON.stringify(body) }, expected };
}

function authorize(key: string, expected: string): Question {
  return {
    call: { method: 'GET', path: '/v1/authorize?env=live', headers: { authorization: `Bearer ${key}` } },
    expected,
  };
}
