/** How keys are presented: from inside and outside of their allow-lists, unsigned, signed now and signed before. */
import { randomBytes } from 'node:crypto';
import { signRequest } from '../../../src/client/sign.ts';
import { random } from '../../load/random.ts';
import type { Circumstances } from '../../proof/history/format.ts';
import type { TortureKey } from './pool.ts';

/** Addresses in the narrow allow-list, only in the wide one, and in neither. */
export const sources = { tight: '192.0.2.17', loose: '198.51.100.7', outside: '203.0.113.9' } as const;
export const tightList: readonly string[] = ['192.0.2.0/24'];
export const looseList: readonly string[] = [...tightList, sources.loose];

/** The restrictions that a key can have. */
export const scopeLists: readonly (readonly string[])[] = [[], ['read'], ['read', 'write']];
const requiredScopes: readonly (readonly string[])[] = [[], [], ['read'], ['write']];

const sourceNames = { tight: 5, loose: 3, outside: 1, none: 1 } as const;
const signatures = { newest: 5, previous: 2, none: 2, foreign: 1 } as const;

export function anyCircumstances(key: TortureKey): Circumstances {
  const source = random.pickWeighted(sourceNames);
  const other = key.env === 'live' ? 'test' : 'live';
  return {
    secret: random.chance(0.7) ? newest(key) : previous(key),
    scopes: random.pick(requiredScopes),
    env: random.pick([null, null, null, key.env, key.env, null, other]),
    source: source === 'none' ? null : sources[source],
    signedWith: signedWith(key, random.pickWeighted(signatures)),
  };
}

/** Returns circumstances whose verdict depends on the last change of a key; `turn` selects one. */
export function tellingCircumstances(key: TortureKey, turn: number): Circumstances {
  const unsigned = { secret: newest(key), scopes: [], env: null, source: sources.tight, signedWith: null };
  const all: readonly Circumstances[] = [
    unsigned,
    { ...unsigned, signedWith: signedWith(key, 'newest') },
    { ...unsigned, source: sources.loose, signedWith: signedWith(key, 'newest') },
    { ...unsigned, signedWith: signedWith(key, 'previous') },
    { ...unsigned, secret: previous(key), signedWith: signedWith(key, 'newest') },
    { ...unsigned, scopes: ['read'], signedWith: signedWith(key, 'newest') },
  ];
  return all[turn % all.length] ?? unsigned;
}

const newest = ({ secrets }: TortureKey) => secrets.length - 1;
const previous = ({ secrets }: TortureKey) => Math.max(0, secrets.length - 2);

function signedWith({ signingSecrets: { length } }: TortureKey, which: keyof typeof signatures): number | null {
  if (length === 0 || which === 'none') return null;
  if (which === 'foreign') return -1;
  return which === 'newest' || length === 1 ? length - 1 : length - 2;
}

const request = { method: 'GET', url: 'https://api.example.test/orders?limit=5' };

/** The body of `POST /v1/verify`. Each signature is a new one: the same one again would be a replay. */
export function verifyBody(key: TortureKey, { secret, scopes, env, source, signedWith }: Circumstances): string {
  return JSON.stringify({
    key: key.secrets[secret],
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(env === null ? {} : { env }),
    ...(source === null ? {} : { sourceIp: source }),
    ...(signedWith === null ? {} : { request: { ...request, headers: signatureOf(key, signedWith) } }),
  });
}

function signatureOf({ id, signingSecrets }: TortureKey, signedWith: number) {
  const signingSecret = signingSecrets[signedWith] ?? randomBytes(32).toString('hex');
  return signRequest(request, { keyId: id, signingSecret, expiresInSeconds: 300 });
}
