// SECURITY.md: A session token; Forged session tokens; Sign-in links; Malformed or ambiguous input; Bytes from outside
import {
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign as signBytes,
} from 'node:crypto';
import fc from 'fast-check';
import type { Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import { acceptToken, authenticate, linkType, type TokenRules } from '../../src/auth/session-token.ts';
import { parsePublicKey, publicTokenKeys, secretTokenKeys } from '../../src/auth/token-keys.ts';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { permissions, type Session } from '../../src/domain/key/permission.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { claimLog } from '../../src/service/token-rules.ts';

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

/** Signed well, in spite of what is wrong with them: one test for each value of the claim. */
function itRejects(title: string, claim: string, values: readonly unknown[], message: string, rules = hs256): void {
  it.each(values.map((value) => [value]))(title, async (value) => {
    expect(await rejectionOfClaims({ [claim]: value }, rules)).toBe(message);
  });
}

/** The claims as raw JSON, where the value of one is what JSON.stringify would not write. */
const withRaw = (claim: string, value: string) =>
  craft(JSON.stringify({ ...goodClaims, [claim]: 'RAW' }).replace('"RAW"', value));
const tokenOf = (changes: Readonly<Record<string, unknown>>) => craft({ ...goodClaims, ...changes });

/** A valid token, padded by an unused claim. */
function tokenOfLength(length: number): string {
  for (let size = 5000; size < 6500; size += 1) {
    const token = tokenOf({ padding: 'x'.repeat(size) });
    if (token.length === length) return token;
  }
  throw new Error(`no token has ${length} characters`);
}

describe('the token of a sign-in link', () => {
  const header = { alg: 'HS256', typ: linkType };
  const link = (claims: object = {}) => craft({ ...goodClaims, jti: 'a', ...claims }, header);

  it('names the session and its end, and until when it can be used', async () => {
    expect(await acceptToken(`Bearer ${link()}`, hs256, now)).toEqual({
      session: goodSession,
      expiresAt: new Date((seconds + hour) * 1000),
      link: { id: 'a', usableUntil: new Date((seconds - 60 + 610) * 1000) },
    });
    expect(await acceptToken(`Bearer ${craft({ ...goodClaims, jti: 'a' })}`, hs256, now)).toMatchObject({ link: null });
  });

  it('is not accepted for calls', async () => {
    expect(await rejectionOf(link())).toBe('The token is that of a sign-in link, which a browser can open once.');
  });

  it.each([
    ['is 10 minutes old, with the tolerance for clocks', { iat: seconds - 605 }, 'and this one is older'],
    ['has no id', { jti: undefined }, 'has no id'],
    ['has an id that is not a text', { jti: 5 }, 'has no id'],
    ['has an id that is empty', { jti: '' }, 'has no id'],
    ['has an id of 101 characters', { jti: 'x'.repeat(101) }, 'has no id'],
  ])('is rejected if it %s', async (_, claims, problem) => {
    await expect(acceptToken(`Bearer ${link(claims)}`, hs256, now)).rejects.toThrow(problem);
  });
});

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

  it.each<[string, string]>([
    ...[undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt', 'application/jwt'].map((typ): [string, string] => [
      `the type ${typ}`,
      craft(goodClaims, { alg: 'HS256', typ }),
    ]),
    ['8192 characters', tokenOfLength(8192)],
    ['an end at a fraction of a second (RFC 7519, section 2)', tokenOf({ exp: seconds + 0.5 })],
    ['an end 4 seconds ago, for the difference of two clocks', tokenOf({ exp: seconds - 4 })],
    ['an issue time 5 seconds ahead of our clock', tokenOf({ iat: seconds + 5 })],
    ['a beginning 5 seconds ahead of our clock', tokenOf({ nbf: seconds + 5 })],
    ['a team in upper case', tokenOf({ teams: { [team.toUpperCase()]: ['view_team'] } })],
  ])('may have %s', async (_, token) => {
    expect(await accepted(token)).toEqual(goodSession);
  });

  it('can name its teams in a list of roles, of which others are ignored', async () => {
    const other = randomUUID();
    const teams = [
      `${team}:view_team`,
      'admin',
      `${other}:manage_keys`,
      `${team.toUpperCase()}:manage_keys`,
      7,
      `${team}:x`,
    ];
    expect((await accepted(tokenOf({ teams }))).teams).toEqual(
      new Map([
        [team, new Set(['view_team', 'manage_keys'])],
        [other, new Set(['manage_keys'])],
      ]),
    );
  });

  it('carries both permissions, for several teams, or is for none', async () => {
    const other = randomUUID();
    const teams = { [team]: ['view_team', 'manage_keys'], [other]: ['manage_keys'] };
    expect((await accepted(tokenOf({ teams }))).teams).toEqual(
      new Map(Object.entries(teams).map(([id, permissions]) => [id, new Set(permissions)])),
    );
    expect((await accepted(tokenOf({ teams: {} }))).teams).toEqual(new Map());
  });
});

describe('an Authorization header without a session token', () => {
  const good = craft(goodClaims);
  const [goodHead, goodBody, goodMac] = good.split('.');
  const form = 'The Authorization header must be: Bearer <JWT>.';
  const noJwt = 'The bearer token is not a JWT.';
  const tooLong = 'The session token is longer than 8192 characters.';
  const apiKey = 'This is an API key. Management calls need a session token (a JWT) or a management key.';

  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'A session token is needed: Authorization: Bearer <JWT>.'],
    ['is empty', '', form],
    ['is of another scheme', 'Basic YWRhOmxvdmVsYWNl', form],
    ['is a token without a scheme', good, form],
    ['has a scheme that only begins like Bearer', `BearerToken ${good}`, form],
    ['is a scheme alone', 'Bearer', form],
    ['has an empty token', 'Bearer ', form],
    ['has a tab for a space', `Bearer\t${good}`, form],
    ['has several tokens', `Bearer ${good} ${good}`, form],
    ['has a parameter', `Bearer ${good} realm=latchkey`, form],
    ['has a line break behind the token', `Bearer ${good}\n`, form],
    ['has junk', 'Bearer junk-of-some-length', noJwt],
    ['has two parts', `Bearer ${goodHead}.${goodBody}`, noJwt],
    ['has four parts', `Bearer ${good}.AAAA`, noJwt],
    ['has characters outside base64url', `Bearer ${good.replace('.', '+.')}`, noJwt],
    ['has an empty header', `Bearer .${goodBody}.${goodMac}`, noJwt],
    ['has claims that are no JSON', `Bearer ${craft('{"sub": "ada"')}`, noJwt],
    ...['this is no JSON', '"a text"', 'null', '42'].map((header): [string, string, string] => [
      `has the header ${header}`,
      `Bearer ${craft(goodClaims, header)}`,
      noJwt,
    ]),
    ['has one character too many', `Bearer ${tokenOfLength(8193)}`, tooLong],
    ['has too many characters, which are not decoded', `Bearer ${'x'.repeat(8193)}`, tooLong],
    ['has an API key', `Bearer ${mintSecret('lk', 'live', randomBytes).secret}`, apiKey],
    ['has an API key with another tag', `Bearer ${mintSecret('acme', 'live', randomBytes).secret}`, apiKey],
  ])('is rejected when it %s', async (_, header, message) => {
    expect(await rejection(header)).toBe(message);
  });
});

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

  it('must be whole, and covers the claims and the header', async () => {
    const cut: Sign = (input) => withEc(ec.privateKey)(input).subarray(0, 40);
    const unreadable = "The session token is not valid: it can't be read.";
    expect(await rejectionOf(craft(goodClaims, { alg: 'ES256' }, cut), es256)).toBe(unreadable);
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

  it.each([
    ...['dpop+jwt', 'logout+jwt', 'secevent+jwt', 'JOSE', 'JWT ', '', 5, null, ['JWT']].map(
      (typ) => [{ typ }, 'The session token is of a type for something else.'] as const,
    ),
    ...[5, null, ['a'], { a: 1 }, true].map(
      (kid) => [{ kid }, 'The session token has a key id that is not a string.'] as const,
    ),
  ])('must declare no other type of token, and a string as its key id: %j is rejected', async (extra, message) => {
    expect(await rejectionOf(craft(goodClaims, { ...goodHeader, ...extra }))).toBe(message);
  });
});

describe('the time of a session token', () => {
  const expired = 'The session token has expired.';
  const noExpiry = 'The session token has no expiry (exp).';
  const notATime = 'The session token is not valid: invalid exp value.';
  const tooLong = 'The session token lives longer than the 86400 seconds that are allowed.';
  const future = 'The session token was issued in the future.';
  const noIssueTime = 'The session token has an issue time (iat) that is not a number.';

  it.each<[unknown, string]>([
    ...[seconds - hour, 0, -1, seconds - 5.5, seconds - 5].map((exp): [unknown, string] => [exp, expired]),
    [undefined, noExpiry],
    ...[String(seconds + hour), '2030-01-01T01:00:00Z', null, [seconds + hour], true].map((exp): [unknown, string] => [
      exp,
      notATime,
    ]),
    ...[(seconds + hour) * 1000, Number.MAX_SAFE_INTEGER, 1e308].map((exp): [unknown, string] => [exp, tooLong]),
  ])('ends: exp %s is rejected', async (exp, message) => {
    expect(await rejectionOfClaims({ exp })).toBe(message);
  });

  it.each([
    ['exp', '1e999', noExpiry],
    ['exp', '-1e999', expired],
    ['iat', '1e999', noIssueTime],
    ['iat', '-1e999', noIssueTime],
  ])('is finite: %s %s, which reads as infinity, is rejected', async (claim, value, message) => {
    expect(await rejectionOf(withRaw(claim, value))).toBe(message);
  });

  it.each([seconds + hour, seconds + 6, seconds * 1000])('may not begin in the future: iat %s', async (iat) => {
    expect(await rejectionOfClaims({ iat, exp: seconds + 2 * hour })).toBe(future);
  });
  const noTimes = ['1893456000', null, [seconds], {}, false];
  itRejects('has an issue time that is a time: iat %j is rejected', 'iat', noTimes, noIssueTime);
  const early = [seconds + hour, seconds + 6];
  itRejects('has come: nbf %s in the future is rejected', 'nbf', early, 'The session token is not valid yet.');
  const noNbf = 'The session token is not valid: invalid nbf value.';
  itRejects('has come: nbf %j is rejected', 'nbf', ['tomorrow'], noNbf);

  it('is bounded from its issue on', async () => {
    const iat = seconds - hour;
    expect(await accepted(tokenOf({ iat, exp: iat + day }))).toEqual(goodSession);
    expect(await rejectionOfClaims({ iat, exp: iat + day + 1 })).toBe(tooLong);
    expect(await rejectionOfClaims({ iat: 0, exp: seconds + 60 })).toBe(tooLong);
    expect(await rejectionOfClaims({ iat: -1e308, exp: seconds + 60 })).toBe(tooLong);
    // An issue time ahead of our clock does not lengthen it.
    expect(await rejectionOfClaims({ iat: seconds + 5, exp: seconds + day + 1 })).toBe(tooLong);
  });

  it('must have an issue time: without one it is rejected, however short it lives', async () => {
    const missing = 'The session token has no issue time (iat).';
    expect(await rejectionOfClaims({ iat: undefined, exp: seconds + 60 })).toBe(missing);
  });

  it('is bounded as configured', async () => {
    const rules = { ...hs256, maxLifetimeSeconds: 600 };
    expect(await accepted(tokenOf({ iat: seconds, exp: seconds + 600 }), rules)).toEqual(goodSession);
    const tooLongHere = 'The session token lives longer than the 600 seconds that are allowed.';
    expect(await rejectionOfClaims({ iat: seconds, exp: seconds + 601 }, rules)).toBe(tooLongHere);
  });
});

describe('the claims of a session token', () => {
  it.each([
    ['"only a text"', goodHeader, 'The session token carries no claims.'],
    ['null', goodHeader, "The session token is not valid: it can't be read."],
    ['[]', goodHeader, 'The session token has no expiry (exp).'],
    ['42', goodHeader, 'The session token has no expiry (exp).'],
    ['not JSON', { alg: 'HS256' }, 'The session token carries no claims.'],
  ])('are an object: %s is rejected, though well signed', async (claims, header, message) => {
    expect(await rejectionOf(craft(claims, header))).toBe(message);
  });

  const noSubject = 'The session token has no usable subject (sub): 1 to 255 characters, no control characters.';
  const noTexts = [undefined, null, 42, ['someone'], { name: 'someone' }, '', 's'.repeat(256)];
  // A line break, a NUL, an escape, a line separator, a bidirectional override and a lone surrogate.
  const unprintable = ['a\nb', 'a\0', 'a\u001b[31m', 'a\u2028b', 'a\u202eb', 'a\ud800'];
  itRejects('name the caller: sub %j is rejected', 'sub', [...noTexts, ...unprintable], noSubject);

  it.each(['s'.repeat(255), 'auth0|5f7c8ec7c33c6c004bbafe82', 'Зоя Ünal', '名前'])(
    'keep the subject as it is: %s',
    async (sub) => {
      expect((await accepted(tokenOf({ sub }))).subject).toBe(sub);
    },
  );

  const issuer = 'https://login.example.com/';
  const audience = 'latchkey';
  const bothRules = { ...hs256, issuer, audience };
  const otherIssuers = ['https://evil.example.com/', undefined, 'https://login.example.com', [issuer]];
  const invalidIssuer = `The session token is not valid: jwt issuer invalid. expected: ${issuer}.`;
  const ofIssuer = { ...hs256, issuer };
  itRejects('name the configured issuer: %s is rejected', 'iss', otherIssuers, invalidIssuer, ofIssuer);
  const otherAudiences = ['billing', undefined, ['billing', 'mail'], [], 'latchkey2'];
  const invalidAudience = `The session token is not valid: jwt audience invalid. expected: ${audience}.`;
  const ofAudience = { ...hs256, audience };
  itRejects('name the configured audience: %s is rejected', 'aud', otherAudiences, invalidAudience, ofAudience);

  it.each([[audience], [['mail', audience]]])('pass with the configured issuer and the audience %j', async (aud) => {
    expect(await accepted(tokenOf({ iss: issuer, aud }), bothRules)).toEqual(goodSession);
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
      await rejectionOf(craft({ ...claims, teams: { [team]: { [canary]: canary } } }, header)),
    ];
    for (const message of messages) expect(message).not.toContain(canary);
  });
});

describe('the teams of a session token', () => {
  const wrong = "The session token's teams must be an object from team ids (UUIDs) to lists of permissions.";
  const missing = `The session token's teams is missing: it ${wrong.replace(/^.*teams /, '')}`;
  const noLists = [7, { manage_keys: true }, null].map((permissions) => ({ [team]: permissions }));
  const noIds = ['acme', `{${team}}`, team.replaceAll('-', ''), ''].map((id) => ({ [id]: ['view_team'] }));
  const noObjects = [null, [team], [], team, 7, 'view_team', '[]', '["x"', `{"${team}"`, [[`${team}:view_team`]]];
  itRejects('are rejected when they are %j', 'teams', [...noObjects, ...noIds, ...noLists], wrong);
  itRejects('are rejected when they are missing', 'teams', [undefined], missing);

  const [upper, role] = [team.toUpperCase(), `${team}:view_team`];
  it.each([
    ['one text', role],
    ['a text for the permission', { [team]: 'view_team' }],
    ['JSON text of a list', JSON.stringify([role])],
    ['JSON text of an object', ` ${JSON.stringify({ [team]: ['view_team'] })}`],
    ['JSON text of the permissions', { [team]: '["view_team"]' }],
    [
      'a list of JSON texts, as Keycloak sends an attribute with several values',
      [JSON.stringify({ [team]: ['view_team'] })],
    ],
    ['a list of objects', [{ [team]: ['view_team'] }, 'offline_access']],
    ['an object of lists with their indices', { 0: 'offline_access', 1: role }],
    ['roles as Zitadel sends them', { [role]: { 2345: 'acme.example.com' }, admin: { 2345: 'acme.example.com' } }],
    ['an id in upper case', { [upper]: ['view_team'] }],
    ['a list with an id in upper case', [`${upper}:view_team`]],
    ['an id in both cases', { [upper]: ['view_team'], [team]: [] }],
    ['an object with members of other kinds', { [team]: ['view_team'], acme: ['manage_keys'], x: 7, y: null }],
    [
      'an object with a team whose permissions are unclear',
      { [team]: ['view_team'], [randomUUID()]: { manage_keys: true } },
    ],
    ['a list with members of other kinds', [7, null, ['x'], role]],
  ])('are accepted as %s', async (_, teams) => {
    expect(await accepted(tokenOf({ teams }))).toEqual(goodSession);
  });

  it.each([
    ['another case in a text', { [team]: 'VIEW_TEAM' }],
    ['several permissions in one text', { [team]: 'view_team manage_keys' }],
    ['a permission as the name of a member', { [team]: [{ manage_keys: true }] }],
    ['a role that is not granted', { [team]: [], [`${team}:manage_keys`]: false, [`${team}:view_team`]: null }],
  ])('grant nothing by %s', async (_, teams) => {
    expect((await accepted(tokenOf({ teams }))).teams).toEqual(new Map([[team, new Set()]]));
  });

  it('report each member that names no team, but no role for something else, by its kind alone', async () => {
    const kindsOf = async (teams: unknown) => {
      const kinds: string[] = [];
      await accepted(tokenOf({ teams }), { ...hs256, onIgnoredMember: (kind) => kinds.push(kind) });
      return kinds;
    };
    expect(await kindsOf({ [team]: ['view_team'], acme: ['x', 'y'], z: 'secret', n: null })).toEqual([
      'list of 2',
      'text',
      'null',
    ]);
    expect(await kindsOf([role, 'offline_access', 'other:role', 'acme:view_team', 7])).toEqual(['text', 'number']);
    expect(await kindsOf({ [team]: [['view_team'], 'view_team', 5] })).toEqual(['list of 1', 'number']);
  });

  it('are rejected when a team is called __proto__', async () => {
    expect(await rejectionOf(withRaw('teams', '{"__proto__": ["view_team"]}'))).toBe(wrong);
  });

  it('grant nothing by a permission that is not known', async () => {
    const unknown = ['admin', 'VIEW_TEAM', 'manage_keys ', '*', 5, null, ['manage_keys'], { manage_keys: true }];
    const granted = async (permissions: unknown) =>
      (await accepted(tokenOf({ teams: { [team]: permissions } }))).teams.get(team);
    expect(await granted(unknown)).toEqual(new Set());
    expect(await granted([...unknown, 'view_team'])).toEqual(new Set(['view_team']));
  });

  it('grant only permissions that are exact, in a list of roles too, and report each other one', async () => {
    const inexact = [
      ...permissions.flatMap((name) => [name.toUpperCase(), ` ${name}`, `${name} `, `${name}:read-only`, `${name}:`]),
      ...['', ':view_team', 'view_team,manage_keys', 'view_team\n', 'view_team\0', 'ｖiew_team', 'a_newer_permission'],
    ];
    const claims = [
      { [team]: [...inexact, 'view_team', 7] },
      [...inexact.map((name) => `${team}:${name}`), `${team}:view_team`, 'admin', 'other:roles', 7],
    ];
    for (const teams of claims) {
      const unknown: string[] = [];
      const onUnknownPermission = (name: string, teamId: string) => unknown.push(`${teamId} ${name}`);
      expect(await accepted(tokenOf({ teams }), { ...hs256, onUnknownPermission })).toEqual(goodSession);
      expect(unknown).toEqual(inexact.map((name) => `${team} ${name}`));
    }
    expect(await rejectionOfClaims({ teams: [`${team}:view_team:read-only`] })).toBe(wrong);
  });

  it('are logged once a minute, and without the token, if a permission is unknown or a member names no team', async () => {
    let nowMs = 0;
    const lines: object[] = [];
    const log = { warn: (line: object) => lines.push(line) } as unknown as Pick<Logger, 'warn'>;
    const rules = { ...hs256, ...claimLog(log, () => nowMs) };
    const token = tokenOf({
      teams: { [team]: ['VIEW_TEAM', `x${'y'.repeat(500)}`, 'view_team'], acme: 'secret', b: [] },
    });
    for (const time of [0, 59_999, 60_000]) {
      nowMs = time;
      await accepted(token, rules);
    }
    const once = [{ teamId: team, permission: 'VIEW_TEAM' }, { kind: 'text' }];
    expect(lines).toEqual([...once, ...once]);
    nowMs = 120_000;
    await accepted(tokenOf({ teams: { [team]: ['x'.repeat(500)] } }), rules);
    expect(lines[4]).toEqual({ teamId: team, permission: 'x'.repeat(100) });
  });

  it('are read from the configured claim, and from no other, nor from what every object inherits', async () => {
    const teamsClaim = 'https://example.com/teams';
    const claims = { ...goodClaims, teams: { [team]: ['manage_keys'] } };
    const configured = craft({ ...claims, [teamsClaim]: { [team]: ['view_team'] } });
    expect(await accepted(configured, { ...hs256, teamsClaim })).toEqual(goodSession);
    for (const name of [teamsClaim, 'constructor']) {
      const message = missing.replace('teams', name);
      expect(await rejectionOf(craft(claims), { ...hs256, teamsClaim: name })).toBe(message);
    }
  });

  const granted = { [team]: ['view_team'] };
  const other = { [team]: ['manage_keys'] };
  it.each<[string, object]>([
    ['realm_access.roles', { realm_access: { roles: [role] } }],
    ['resource_access.keys.example.com.roles', { resource_access: { 'keys.example.com': { roles: [role] } } }],
    ['resource_access.https://a.b/c.roles', { resource_access: { 'https://a.b/c': { roles: [role] } } }],
    ['a.b', { 'a.b': granted, a: { b: other } }],
    ['https://example.com/teams', { 'https://example.com/teams': granted, 'https://example': { 'com/teams': other } }],
    ['a.b.c', { 'a.b': { c: granted }, a: { 'b.c': other } }],
  ])('are read from the claim %s, where an exact name counts before a path', async (teamsClaim, nested) => {
    const { teams: _, ...claims } = goodClaims;
    expect(await accepted(craft({ ...claims, ...nested }), { ...hs256, teamsClaim })).toEqual(goodSession);
  });

  it.each(['a.b', 'a.', '.a', 'a..b', 'a.constructor', 'a.length', 'list.0', 'text.0', '__proto__.a', 'x'.repeat(500)])(
    'are missing at the path %s, which leads to nothing that was sent',
    async (teamsClaim) => {
      const claims = { ...goodClaims, a: {}, list: [granted], text: 'x' };
      const message = missing.replace('teams', teamsClaim);
      expect(await rejectionOf(craft(claims), { ...hs256, teamsClaim })).toBe(message);
    },
  );

  const named = async (names: unknown) => (await accepted(tokenOf({ team_names: names }))).teamNames;

  it('have the names of the claim for names, whatever the case of their ids', async () => {
    expect(await named({ [team]: ' Payments ' })).toEqual(new Map([[team, 'Payments']]));
    expect(await named({ [team.toUpperCase()]: 'Ünal & Söhne' })).toEqual(new Map([[team, 'Ünal & Söhne']]));
    expect(await named(JSON.stringify({ [team]: 'Payments' }))).toEqual(new Map([[team, 'Payments']]));
    expect(await named({ [team]: 'x'.repeat(100) })).toEqual(new Map([[team, 'x'.repeat(100)]]));
  });

  const noNames = [7, ' ', 'x'.repeat(101), 'Payments\nAdministrators', 'Payments\u202e'];
  const ignored = [['Payments'], 'Payments', null, { [randomUUID()]: 'Payments' }];
  it.each([...ignored, ...noNames.map((name) => ({ [team]: name }))].map((names) => [names]))(
    'ignore %j in the claim for names, which may be the claim of another service',
    async (names) => {
      expect(await named(names)).toEqual(new Map());
    },
  );
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

  it('as a header or as three parts of base64url, is rejected as UNAUTHENTICATED', async () => {
    const mac = fc.oneof(anyText, fc.string({ minLength: 64, maxLength: 64 }));
    const parts = fc.tuple(anyHeader, fc.oneof(anyText, fc.json()), mac);
    const tokens = parts.map((texts) => `Bearer ${texts.map(base64url).join('.')}`);
    const headers = fc.tuple(fc.constantFrom('', 'Bearer ', 'bearer  '), anyText).map((texts) => texts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.oneof(headers, tokens), async (header) => {
        for (const rules of rulesOfAllKinds) expect(await passes(header, rules)).toBe(false);
      }),
      { numRuns: 1000 },
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
