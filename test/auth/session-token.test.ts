import {
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign as signBytes,
} from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticate, type TokenRules } from '../../src/auth/session-token.ts';
import { parsePublicKey, publicTokenKeys, secretTokenKeys } from '../../src/auth/token-keys.ts';
import { LatchkeyError } from '../../src/domain/errors.ts';
import type { Session } from '../../src/domain/key/permission.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';

const now = new Date('2030-01-01T00:00:00.000Z');
const seconds = now.getTime() / 1000;
const hour = 3600;
const day = 86_400;
const team = '6f1c1d0e-3b1f-4b60-9a43-0a5c8a2f7b11';
const secret = 'a secret of the tests, with more than 32 bytes';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

type Sign = (input: string) => Buffer;

const withSecret =
  (key: string | Buffer, hash = 'sha256'): Sign =>
  (input) =>
    createHmac(hash, key).update(input).digest();
const withRsa =
  (key: KeyObject, hash = 'sha256'): Sign =>
  (input) =>
    signBytes(hash, Buffer.from(input), key);
const withEc =
  (key: KeyObject): Sign =>
  (input) =>
    signBytes('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
const rulesFor = (keys: TokenRules['keys']): TokenRules => ({
  keys,
  teamsClaim: 'teams',
  teamNamesClaim: 'team_names',
  maxLifetimeSeconds: day,
});
const hs256 = rulesFor(secretTokenKeys(secret));
const rs256 = rulesFor(publicTokenKeys(parsePublicKey(pem(rsa.publicKey))));
const es256 = rulesFor(publicTokenKeys(parsePublicKey(pem(ec.publicKey))));

const goodClaims = { sub: 'ada', iat: seconds - 60, exp: seconds + hour, teams: { [team]: ['view_team'] } };
const goodHeader = { alg: 'HS256', typ: 'JWT' };
const goodSession: Session = { subject: 'ada', teams: new Map([[team, new Set(['view_team'])]]), teamNames: new Map() };

/** Written here and not by a JWT library, which would not create most of these. Text is taken as raw JSON. */
function craft(claims: unknown, header: unknown = goodHeader, sign: Sign = withSecret(secret)): string {
  const part = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${sign(input).toString('base64url')}`;
}

async function accepted(token: string, rules = hs256): Promise<Session> {
  return await authenticate(`Bearer ${token}`, rules, now);
}

/** The message of the rejection, which must have the right code and repeat nothing of what was sent. */
async function rejection(authorization: string | undefined, rules = hs256): Promise<string> {
  const error: unknown = await authenticate(authorization, rules, now).then(
    (session) => new Error(`accepted: ${JSON.stringify(session)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LatchkeyError)) throw error;
  expect(error.code).toBe('UNAUTHENTICATED');
  const [, ...words] = (authorization ?? '').split(/[\s.]+/);
  for (const word of words.filter(({ length }) => length > 3)) expect(error.message).not.toContain(word);
  return error.message;
}

const rejectionOf = (token: string, rules = hs256) => rejection(`Bearer ${token}`, rules);
const rejectionOfClaims = (changes: Readonly<Record<string, unknown>>, rules = hs256) =>
  rejectionOf(craft({ ...goodClaims, ...changes }), rules);

describe('a good session token', () => {
  it.each([
    ['HS256', hs256, withSecret(secret)],
    ['RS256', rs256, withRsa(rsa.privateKey)],
    ['ES256', es256, withEc(ec.privateKey)],
  ] as const)('signed with %s names the caller and the permissions', async (alg, rules, sign) => {
    expect(await accepted(craft(goodClaims, { alg, typ: 'JWT' }, sign), rules)).toEqual(goodSession);
  });

  it.each(['bearer ', 'BEARER ', 'Bearer   '])('can follow the scheme written as "%s"', async (scheme) => {
    expect(await authenticate(scheme + craft(goodClaims), hs256, now)).toEqual(goodSession);
  });

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt', 'application/jwt'])(
    'may have the type %s',
    async (typ) => {
      expect(await accepted(craft(goodClaims, { alg: 'HS256', typ }))).toEqual(goodSession);
    },
  );

  it('carries both permissions, for several teams', async () => {
    const other = randomUUID();
    const { teams } = await accepted(
      craft({ ...goodClaims, teams: { [team]: ['view_team', 'manage_keys'], [other]: ['manage_keys'] } }),
    );
    expect(teams).toEqual(
      new Map([
        [team, new Set(['view_team', 'manage_keys'])],
        [other, new Set(['manage_keys'])],
      ]),
    );
  });

  it('may be for no team at all', async () => {
    expect((await accepted(craft({ ...goodClaims, teams: {} }))).teams).toEqual(new Map());
  });

  it('may have exactly 8192 characters', async () => {
    const token = tokenOfLength(8192);
    expect(token).toHaveLength(8192);
    expect(await accepted(token)).toEqual(goodSession);
  });
});

describe('an Authorization header without a session token', () => {
  it('is rejected when it is missing', async () => {
    expect(await rejection(undefined)).toBe('A session token is needed: Authorization: Bearer <JWT>.');
  });

  it.each([
    ['is empty', ''],
    ['is of another scheme', `Basic ${Buffer.from('ada:lovelace').toString('base64')}`],
    ['is a token without a scheme', craft(goodClaims)],
    ['has a scheme that only begins like Bearer', `BearerToken ${craft(goodClaims)}`],
    ['is a scheme alone', 'Bearer'],
    ['has an empty token', 'Bearer '],
    ['has a tab for a space', `Bearer\t${craft(goodClaims)}`],
    ['has several tokens', `Bearer ${craft(goodClaims)} ${craft(goodClaims)}`],
    ['has a parameter', `Bearer ${craft(goodClaims)} realm=latchkey`],
    ['has a line break behind the token', `Bearer ${craft(goodClaims)}\n`],
  ])('is rejected when it %s', async (_, header) => {
    expect(await rejection(header)).toBe('The Authorization header must be: Bearer <JWT>.');
  });

  it.each([
    ['junk', 'junk-of-some-length'],
    ['two parts', craft(goodClaims).split('.').slice(0, 2).join('.')],
    ['four parts', `${craft(goodClaims)}.AAAA`],
    ['characters outside base64url', craft(goodClaims).replace('.', '+.')],
    ['a header that is no JSON', craft(goodClaims, 'this is no JSON')],
    ['a header that is a text', craft(goodClaims, '"a text"')],
    ['a header that is null', craft(goodClaims, 'null')],
    ['a header that is a number', craft(goodClaims, '42')],
    ['claims that are no JSON', craft('{"sub": "ada"', goodHeader)],
    ['an empty header', `.${craft(goodClaims).split('.').slice(1).join('.')}`],
  ])('is rejected as no JWT when it has %s', async (_, token) => {
    expect(await rejectionOf(token)).toBe('The bearer token is not a JWT.');
  });

  it.each(['lk', 'acme'])(
    'is rejected with the kind of token that is needed when it is an API key (%s)',
    async (tag) => {
      const { secret: apiKey } = mintSecret(tag, 'live', randomBytes);
      expect(await rejectionOf(apiKey)).toBe(
        'This is an API key. Management calls need a session token, which is a JWT.',
      );
    },
  );

  it('is rejected for its length before it is decoded', async () => {
    const message = 'The session token is longer than 8192 characters.';
    const token = tokenOfLength(8193);
    expect(token).toHaveLength(8193);
    expect(await rejectionOf(token)).toBe(message);
    expect(await rejectionOf('x'.repeat(8193))).toBe(message);
  });
});

/** A valid token, padded by an unused claim. */
function tokenOfLength(length: number): string {
  for (let size = 5000; size < 6500; size += 1) {
    const token = craft({ ...goodClaims, padding: 'x'.repeat(size) });
    if (token.length === length) return token;
  }
  throw new Error(`no token has ${length} characters`);
}

describe('the signature', () => {
  const invalidAlgorithm = 'The session token is not valid: invalid algorithm.';
  const invalidSignature = 'The session token is not valid: invalid signature.';
  const noSignature = 'The session token is not valid: jwt signature is required.';
  const unsigned: Sign = () => Buffer.alloc(0);

  it.each(['none', 'None', 'NONE', 'nOnE'])('is required: alg %s is rejected', async (alg) => {
    for (const rules of [hs256, rs256, es256]) {
      expect(await rejectionOf(craft(goodClaims, { alg, typ: 'JWT' }, unsigned), rules)).toBe(noSignature);
      expect(await rejectionOf(craft(goodClaims, { alg, typ: 'JWT' }), rules)).toBe(invalidAlgorithm);
    }
  });

  it('is required: a token without it is rejected', async () => {
    expect(await rejectionOf(craft(goodClaims, goodHeader, unsigned))).toBe(noSignature);
  });

  it.each([
    ['the PEM', pem(rsa.publicKey)],
    ['the PEM without its last line break', pem(rsa.publicKey).trim()],
    ['the DER', rsa.publicKey.export({ format: 'der', type: 'spki' })],
  ])('is not HMAC when a public key is configured: %s as a secret is rejected', async (_, key) => {
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const hash = alg.replace('HS', 'sha');
      expect(await rejectionOf(craft(goodClaims, { alg }, withSecret(key, hash)), rs256)).toBe(invalidAlgorithm);
    }
    // The header lies about the algorithm.
    expect(await rejectionOf(craft(goodClaims, { alg: 'RS256' }, withSecret(key)), rs256)).toBe(invalidSignature);
  });

  it.each([
    ['RS256 against a secret', { alg: 'RS256' }, withRsa(rsa.privateKey), hs256],
    ['ES256 against a secret', { alg: 'ES256' }, withEc(ec.privateKey), hs256],
    ['ES256 against an RSA key', { alg: 'ES256' }, withEc(ec.privateKey), rs256],
    ['RS256 against an elliptic key', { alg: 'RS256' }, withRsa(rsa.privateKey), es256],
    ['HS512 with the right secret', { alg: 'HS512' }, withSecret(secret, 'sha512'), hs256],
    ['RS512 with the right key', { alg: 'RS512' }, withRsa(rsa.privateKey, 'sha512'), rs256],
    ['no algorithm', { typ: 'JWT' }, withSecret(secret), hs256],
    ['an algorithm that is a list', { alg: ['HS256'] }, withSecret(secret), hs256],
  ] as const)(
    'has the algorithm of the configuration, not that of the token: %s is rejected',
    async (_, header, sign, rules) => {
      expect(await rejectionOf(craft(goodClaims, header, sign), rules)).toBe(invalidAlgorithm);
    },
  );

  it('must be made with the configured secret or private key', async () => {
    const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect(await rejectionOf(craft(goodClaims, goodHeader, withSecret(`${secret}!`)))).toBe(invalidSignature);
    expect(await rejectionOf(craft(goodClaims, { alg: 'RS256' }, withRsa(otherRsa)), rs256)).toBe(invalidSignature);
    expect(await rejectionOf(craft(goodClaims, { alg: 'ES256' }, withEc(otherEc)), es256)).toBe(invalidSignature);
  });

  it('must be whole', async () => {
    const cut: Sign = (input) => withEc(ec.privateKey)(input).subarray(0, 40);
    expect(await rejectionOf(craft(goodClaims, { alg: 'ES256' }, cut), es256)).toBe(
      "The session token is not valid: it can't be read.",
    );
  });

  it('covers the claims and the header', async () => {
    const [header, claims, signature] = craft(goodClaims).split('.');
    const [otherHeader] = craft(goodClaims, { alg: 'HS256' }).split('.');
    const [, otherClaims] = craft({ ...goodClaims, teams: { [team]: ['manage_keys'] } }).split('.');
    expect(await rejectionOf(`${header}.${otherClaims}.${signature}`)).toBe(invalidSignature);
    expect(await rejectionOf(`${otherHeader}.${claims}.${signature}`)).toBe(invalidSignature);
  });

  it('must be of a key that is known', async () => {
    const keys = {
      find: async (kid: string | undefined) => (kid === 'known' ? await hs256.keys.find(kid, 0) : null),
    };
    expect(await rejectionOf(craft(goodClaims, { alg: 'HS256', kid: 'other' }), rulesFor(keys))).toBe(
      'The session token names a signing key that is not known here.',
    );
    expect(await accepted(craft(goodClaims, { alg: 'HS256', kid: 'known' }), rulesFor(keys))).toEqual(goodSession);
  });

  it('is not rejected as invalid while the keys are unavailable: the answer is UNAVAILABLE', async () => {
    const down = new LatchkeyError('UNAVAILABLE', 'down');
    const keys = { find: async () => await Promise.reject(down) };
    await expect(accepted(craft(goodClaims), rulesFor(keys))).rejects.toBe(down);
  });
});

describe('the header of a session token', () => {
  it.each([
    ['an unknown extension', { crit: ['exp'], exp: 1 }],
    ['b64', { crit: ['b64'], b64: true }],
    ['an empty list', { crit: [] }],
    ['null', { crit: null }],
  ])('must have no critical extension, because none is supported: %s', async (_, extra) => {
    expect(await rejectionOf(craft(goodClaims, { ...goodHeader, ...extra }))).toBe(
      'The session token has a critical header that is not understood.',
    );
  });

  it.each(['dpop+jwt', 'logout+jwt', 'secevent+jwt', 'JOSE', 'JWT ', '', 5, null, ['JWT']])(
    'must not declare another type of token: typ %j',
    async (typ) => {
      expect(await rejectionOf(craft(goodClaims, { alg: 'HS256', typ }))).toBe(
        'The session token is of a type for something else.',
      );
    },
  );

  it.each([5, null, ['a'], { a: 1 }, true])('must have a string as its key id: kid %j is rejected', async (kid) => {
    expect(await rejectionOf(craft(goodClaims, { ...goodHeader, kid }))).toBe(
      'The session token has a key id that is not a string.',
    );
  });
});

describe('the time of a session token', () => {
  const expired = 'The session token has expired.';
  const noExpiry = 'The session token has no expiry (exp).';
  const notATime = 'The session token is not valid: invalid exp value.';
  const tooLong = 'The session token lives longer than the 86400 seconds that are allowed.';

  it.each([
    ['an hour ago', seconds - hour, expired],
    ['zero', 0, expired],
    ['negative', -1, expired],
    ['a fraction that has passed', seconds - 5.5, expired],
    ['missing', undefined, noExpiry],
    ['text', String(seconds + hour), notATime],
    ['an ISO date', new Date((seconds + hour) * 1000).toISOString(), notATime],
    ['null', null, notATime],
    ['a list', [seconds + hour], notATime],
    ['true', true, notATime],
    ['milliseconds', (seconds + hour) * 1000, tooLong],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, tooLong],
    ['1e308', 1e308, tooLong],
  ])('ends: exp %s is rejected', async (_, exp, message) => {
    expect(await rejectionOfClaims({ exp })).toBe(message);
  });

  it.each([
    ['1e999', noExpiry],
    ['-1e999', expired],
  ])('ends: the raw number %s, which reads as infinity, is rejected', async (exp, message) => {
    const raw = JSON.stringify({ ...goodClaims, exp: 'EXP' }).replace('"EXP"', exp);
    expect(await rejectionOf(craft(raw))).toBe(message);
  });

  it('may end at a fraction of a second (RFC 7519, section 2)', async () => {
    expect(await accepted(craft({ ...goodClaims, exp: seconds + 0.5 }))).toEqual(goodSession);
  });

  it('ends 5 seconds after exp, for the difference of two clocks', async () => {
    expect(await accepted(craft({ ...goodClaims, exp: seconds - 4 }))).toEqual(goodSession);
    expect(await rejectionOfClaims({ exp: seconds - 5 })).toBe(expired);
  });

  it.each([
    ['in an hour', seconds + hour],
    ['6 seconds ahead, more than two clocks may differ', seconds + 6],
    ['in milliseconds', seconds * 1000],
  ])('may not begin in the future: iat %s is rejected', async (_, iat) => {
    expect(await rejectionOfClaims({ iat, exp: seconds + 2 * hour })).toBe(
      'The session token was issued in the future.',
    );
  });

  it('may have been issued 5 seconds ahead of our clock', async () => {
    expect(await accepted(craft({ ...goodClaims, iat: seconds + 5 }))).toEqual(goodSession);
  });

  it.each(['1893456000', null, [seconds], {}, false])(
    'has an issue time that is a time: iat %j is rejected',
    async (iat) => {
      expect(await rejectionOfClaims({ iat })).toBe('The session token has an issue time (iat) that is not a number.');
    },
  );

  it.each(['1e999', '-1e999'])('has an issue time that is finite: iat %s is rejected', async (iat) => {
    const raw = JSON.stringify({ ...goodClaims, iat: 'IAT' }).replace('"IAT"', iat);
    expect(await rejectionOf(craft(raw))).toBe('The session token has an issue time (iat) that is not a number.');
  });

  it('has come: nbf in the future is rejected', async () => {
    expect(await rejectionOfClaims({ nbf: seconds + hour })).toBe('The session token is not valid yet.');
    expect(await rejectionOfClaims({ nbf: seconds + 6 })).toBe('The session token is not valid yet.');
    expect(await rejectionOfClaims({ nbf: 'tomorrow' })).toBe('The session token is not valid: invalid nbf value.');
    expect(await accepted(craft({ ...goodClaims, nbf: seconds + 5 }))).toEqual(goodSession);
  });

  it('is bounded from its issue on', async () => {
    expect(await accepted(craft({ ...goodClaims, iat: seconds - hour, exp: seconds - hour + day }))).toEqual(
      goodSession,
    );
    expect(await rejectionOfClaims({ iat: seconds - hour, exp: seconds - hour + day + 1 })).toBe(tooLong);
    expect(await rejectionOfClaims({ iat: 0, exp: seconds + 60 })).toBe(tooLong);
    expect(await rejectionOfClaims({ iat: -1e308, exp: seconds + 60 })).toBe(tooLong);
  });

  it('must have an issue time: without one it is rejected, however short it lives', async () => {
    expect(await rejectionOfClaims({ iat: undefined, exp: seconds + 60 })).toBe(
      'The session token has no issue time (iat).',
    );
  });

  it('is not longer for an issue time ahead of our clock', async () => {
    expect(await rejectionOfClaims({ iat: seconds + 5, exp: seconds + day + 1 })).toBe(tooLong);
  });

  it('is bounded as configured', async () => {
    const rules = { ...hs256, maxLifetimeSeconds: 600 };
    expect(await accepted(craft({ ...goodClaims, iat: seconds, exp: seconds + 600 }), rules)).toEqual(goodSession);
    expect(await rejectionOfClaims({ iat: seconds, exp: seconds + 601 }, rules)).toBe(
      'The session token lives longer than the 600 seconds that are allowed.',
    );
  });
});

describe('the claims of a session token', () => {
  it.each([
    ['a text', '"only a text"', 'The session token carries no claims.'],
    ['null', 'null', "The session token is not valid: it can't be read."],
    ['a list', '[]', 'The session token has no expiry (exp).'],
    ['a number', '42', 'The session token has no expiry (exp).'],
  ])('are an object: %s is rejected, though well signed', async (_, claims, message) => {
    expect(await rejectionOf(craft(claims))).toBe(message);
  });

  it('are JSON, even if the header does not say so', async () => {
    expect(await rejectionOf(craft('not JSON', { alg: 'HS256' }))).toBe('The session token carries no claims.');
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a number', 42],
    ['null', null],
    ['a list', ['someone']],
    ['an object', { name: 'someone' }],
    ['with a line break', 'someone\nelse'],
    ['with a NUL', 'someone\0'],
    ['with an escape', 'someone\u001b[31m'],
    ['with a line separator', 'someone\u2028else'],
    ['with a bidirectional override', 'someone\u202eenoemos'],
    ['with a lone surrogate', 'someone\ud800'],
    ['longer than 255 characters', 's'.repeat(256)],
  ])('name the caller: sub %s is rejected', async (_, sub) => {
    expect(await rejectionOfClaims({ sub })).toBe(
      'The session token has no usable subject (sub): 1 to 255 characters, no control characters.',
    );
  });

  it.each(['s'.repeat(255), 'auth0|5f7c8ec7c33c6c004bbafe82', 'Зоя Ünal', '名前'])(
    'keep the subject as it is: %s',
    async (sub) => {
      expect((await accepted(craft({ ...goodClaims, sub }))).subject).toBe(sub);
    },
  );

  const issuer = 'https://login.example.com/';
  const audience = 'latchkey';

  it.each([
    ['another', 'https://evil.example.com/'],
    ['none', undefined],
    ['one without the last slash', 'https://login.example.com'],
    ['a list', [issuer]],
  ])('name the configured issuer: %s is rejected', async (_, iss) => {
    expect(await rejectionOfClaims({ iss }, { ...hs256, issuer })).toBe(
      `The session token is not valid: jwt issuer invalid. expected: ${issuer}.`,
    );
  });

  it.each([
    ['another', 'billing'],
    ['none', undefined],
    ['others', ['billing', 'mail']],
    ['an empty list', []],
    ['a longer one', 'latchkey2'],
  ])('name the configured audience: %s is rejected', async (_, aud) => {
    expect(await rejectionOfClaims({ aud }, { ...hs256, audience })).toBe(
      `The session token is not valid: jwt audience invalid. expected: ${audience}.`,
    );
  });

  it('pass with the configured issuer and audience', async () => {
    const rules = { ...hs256, issuer, audience };
    expect(await accepted(craft({ ...goodClaims, iss: issuer, aud: audience }), rules)).toEqual(goodSession);
    expect(await accepted(craft({ ...goodClaims, iss: issuer, aud: ['mail', audience] }), rules)).toEqual(goodSession);
  });

  it('are never repeated in an error', async () => {
    const canary = 'canary-5d1f';
    const claims = { ...goodClaims, sub: canary, iss: canary, aud: canary, jti: canary };
    const header = { alg: 'HS256', typ: 'JWT', kid: canary };
    const none = rulesFor({ find: async () => null });
    const messages = [
      await rejectionOf(craft(claims, header), { ...hs256, issuer }),
      await rejectionOf(craft(claims, header), { ...hs256, audience }),
      await rejectionOf(craft(claims, { ...header, typ: canary })),
      await rejectionOf(craft(claims, { ...header, alg: canary })),
      await rejectionOf(craft(claims, { ...header, crit: [canary] })),
      await rejectionOf(craft(claims, header), none),
      await rejectionOf(craft({ ...claims, sub: `${canary}\n` }, header)),
      await rejectionOf(craft({ ...claims, exp: canary }, header)),
      await rejectionOf(craft({ ...claims, iat: canary }, header)),
      await rejectionOf(craft({ ...claims, nbf: canary }, header)),
      await rejectionOf(craft({ ...claims, teams: canary }, header)),
      await rejectionOf(craft({ ...claims, teams: { [canary]: [] } }, header)),
      await rejectionOf(craft({ ...claims, teams: { [team]: canary } }, header)),
    ];
    for (const message of messages) expect(message).not.toContain(canary);
  });
});

describe('the teams of a session token', () => {
  const wrong = "The session token's teams must be an object from team ids (UUIDs) to lists of permissions.";

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a list', [team]],
    ['an empty list', []],
    ['a text', team],
    ['a number', 7],
    ['keyed by a name', { acme: ['view_team'] }],
    ['keyed by a UUID and a name', { [team]: ['view_team'], acme: ['view_team'] }],
    ['keyed by a UUID in braces', { [`{${team}}`]: ['view_team'] }],
    ['keyed by a UUID without hyphens', { [team.replaceAll('-', '')]: ['view_team'] }],
    ['keyed by an empty text', { '': ['view_team'] }],
    ['with a permission that is not a list', { [team]: 'manage_keys' }],
    ['with permissions that are an object', { [team]: { manage_keys: true } }],
    ['with null for permissions', { [team]: null }],
  ])('are rejected when they are %s', async (_, teams) => {
    expect(await rejectionOfClaims({ teams })).toBe(wrong);
  });

  it('are rejected when a team is called __proto__', async () => {
    const raw = JSON.stringify(goodClaims).replace(team, '__proto__');
    expect(await rejectionOf(craft(raw))).toBe(wrong);
  });

  it('grant nothing by a permission that is not known', async () => {
    const unknown = ['admin', 'VIEW_TEAM', 'manage_keys ', '*', 5, null, ['manage_keys'], { manage_keys: true }];
    expect((await accepted(craft({ ...goodClaims, teams: { [team]: unknown } }))).teams).toEqual(
      new Map([[team, new Set()]]),
    );
    expect((await accepted(craft({ ...goodClaims, teams: { [team]: [...unknown, 'view_team'] } }))).teams).toEqual(
      new Map([[team, new Set(['view_team'])]]),
    );
  });

  it('are the same in upper and in lower case', async () => {
    expect(await accepted(craft({ ...goodClaims, teams: { [team.toUpperCase()]: ['view_team'] } }))).toEqual(
      goodSession,
    );
  });

  it('are read from the configured claim, and from no other', async () => {
    const rules = { ...hs256, teamsClaim: 'https://example.com/teams' };
    const claims = { ...goodClaims, teams: { [team]: ['manage_keys'] } };
    expect(await accepted(craft({ ...claims, [rules.teamsClaim]: { [team]: ['view_team'] } }), rules)).toEqual(
      goodSession,
    );
    expect(await rejectionOf(craft(claims), rules)).toBe(
      "The session token's https://example.com/teams must be an object from team ids (UUIDs) to lists of permissions.",
    );
  });

  it('have the names of the claim for names, whatever the case of their ids', async () => {
    const named = async (names: unknown) => (await accepted(craft({ ...goodClaims, team_names: names }))).teamNames;
    expect(await named({ [team]: ' Payments ' })).toEqual(new Map([[team, 'Payments']]));
    expect(await named({ [team.toUpperCase()]: 'Ünal & Söhne' })).toEqual(new Map([[team, 'Ünal & Söhne']]));
    expect(await named({ [team]: 'x'.repeat(100) })).toEqual(new Map([[team, 'x'.repeat(100)]]));
  });

  it.each<[string, unknown]>([
    ['a list', ['Payments']],
    ['a text', 'Payments'],
    ['null', null],
    ['a number for a name', { [team]: 7 }],
    ['an empty name', { [team]: ' ' }],
    ['a name of 101 characters', { [team]: 'x'.repeat(101) }],
    ['a name of two lines', { [team]: 'Payments\nAdministrators' }],
    ['a name that reverses the text after it', { [team]: 'Payments\u202e' }],
    ['the name of a team that the token does not name', { [randomUUID()]: 'Payments' }],
  ])('ignore %s in the claim for names, which may be the claim of another service', async (_, names) => {
    expect(await accepted(craft({ ...goodClaims, team_names: names }))).toEqual(goodSession);
  });

  it('are not found in what every object inherits', async () => {
    expect(await rejectionOf(craft(goodClaims), { ...hs256, teamsClaim: 'constructor' })).toMatch(
      /^The session token's constructor must be an object/,
    );
  });
});

describe('whatever is sent', () => {
  /** True for a session; false for UNAUTHENTICATED. Anything else fails the test. */
  async function passes(authorization: string, rules: TokenRules): Promise<boolean> {
    try {
      await authenticate(authorization, rules, now);
      return true;
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      expect(error.code).toBe('UNAUTHENTICATED');
      return false;
    }
  }

  const base64url = (value: string) => Buffer.from(value).toString('base64url');
  const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
  const algorithm = fc.constantFrom('HS256', 'RS256', 'ES256', 'none', 'HS512', 'PS256', '');
  const anyHeader = fc.oneof(
    anyText,
    fc.json(),
    fc
      .record(
        { alg: fc.oneof(algorithm, fc.jsonValue()), typ: fc.jsonValue(), kid: fc.jsonValue() },
        { requiredKeys: [] },
      )
      .map((header) => JSON.stringify(header)),
    algorithm.map((alg) => JSON.stringify({ alg, typ: 'JWT' })),
  );
  const rulesOfAllKinds = [hs256, rs256, es256];

  it('as a header, is rejected as UNAUTHENTICATED', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.constantFrom('', 'Bearer ', 'bearer  '), async (text, scheme) => {
        for (const rules of rulesOfAllKinds) expect(await passes(scheme + text, rules)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('as three parts of base64url, is rejected as UNAUTHENTICATED', async () => {
    const parts = fc.tuple(
      anyHeader,
      fc.oneof(anyText, fc.json()),
      fc.oneof(anyText, fc.string({ minLength: 64, maxLength: 64 })),
    );
    await fc.assert(
      fc.asyncProperty(parts, async (texts) => {
        const token = texts.map(base64url).join('.');
        for (const rules of rulesOfAllKinds) expect(await passes(`Bearer ${token}`, rules)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('with a good signature, is a session only if it names a subject and ends within the bound', async () => {
    const time = fc.oneof(fc.integer({ min: seconds - 100, max: seconds + 2 * day }), fc.jsonValue());
    const claims = fc.record(
      {
        sub: fc.oneof(fc.string(), fc.jsonValue()),
        exp: time,
        iat: time,
        nbf: time,
        teams: fc.oneof(fc.constant({ [team]: ['view_team'] }), fc.jsonValue()),
      },
      { requiredKeys: ['sub', 'teams'] },
    );
    const likelyGood = fc.tuple(claims, fc.subarray(['sub', 'exp', 'iat', 'teams'] as const)).map(([some, names]) => ({
      ...some,
      ...Object.fromEntries(names.map((name) => [name, goodClaims[name]])),
    }));
    let sessions = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(claims, likelyGood), async (some) => {
        if (!(await passes(`Bearer ${craft(some)}`, hs256))) return;
        sessions += 1;
        expect(some.sub).toMatch(/^[^\n]{1,255}$/);
        expect(some.exp).toBeGreaterThan(seconds - 5);
        expect(some.exp).toBeLessThanOrEqual(seconds + day);
        expect(typeof some.teams).toBe('object');
      }),
      { numRuns: 1000 },
    );
    expect(sessions).toBeGreaterThan(0);
  });

  it('with a good signature over any JSON, is rejected as UNAUTHENTICATED', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), anyText), anyHeader, async (claims, header) => {
        expect(await passes(`Bearer ${craft(claims, header)}`, hs256)).toBe(false);
        expect(await passes(`Bearer ${craft(claims)}`, hs256)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
