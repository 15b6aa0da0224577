// SECURITY.md: Who may do what; Digests of imported keys; Hostile tenant
/** Keys of another system, imported by their digests: they verify like any other, and nothing else is imported. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { theProvider } from '../support/databases.ts';
import { send, startGateway } from '../support/gateway.ts';
import { foreignSecret, importingTeam, secondGateway, sha256, sha512 } from '../support/imports.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, sessionToken } from '../support/service.ts';

const gateway = inTests(() => startGateway(theProvider, { MAX_KEYS_PER_TEAM: '30' }));
const verify = async (key: string, more: object = {}, url = gateway.url) =>
  (await rest(url, null, 'POST', '/v1/verify', { key, ...more })).body;
const codeOf = async (key: string, more: object = {}, url = gateway.url) => (await verify(key, more, url)).code;

const newTeam = (permissions?: readonly Permission[]) => importingTeam(gateway, permissions);

describe('an imported key', () => {
  // The first of all, on a store that has none.
  it('a key works at every instance at the moment that its import is answered, also as the first one imported', async () => {
    const otherUrl = await secondGateway(gateway);
    for (let i = 0; i < 3; i += 1) {
      const secret = foreignSecret();
      expect([await codeOf(secret), await codeOf(secret, {}, otherUrl)]).toEqual(['MALFORMED', 'MALFORMED']);
      await newTeam().importAll([{ digest: sha256(secret) }]);
      expect([await codeOf(secret), await codeOf(secret, {}, otherUrl)]).toEqual(['VALID', 'VALID']);
    }
  });

  it.each<[string, (secret: string) => string]>([
    ['SHA-256 in hexadecimal', (secret) => sha256(secret)],
    ['SHA-512 by name, in base64', (secret) => `sha512:${sha512(secret, 'base64')}`],
  ])('a key that was imported as %s verifies like any other, with all its fields', async (_, digestOf) => {
    const { team, importAll, revoke } = newTeam();
    const secret = foreignSecret();
    const expiresAt = '2099-01-31T12:00:00.000Z';
    const allowedIps = ['10.0.0.0/8 # the office'];
    const [{ outcome, apiKey }] = await importAll([{ digest: digestOf(secret), env: 'test', expiresAt, allowedIps }]);
    expect(outcome).toBe('IMPORTED');
    expect(apiKey).toMatchObject({ teamId: team, name: 'Old', state: 'ACTIVE', allowedIps, expiresAt });
    expect(apiKey.prefix).toMatch(/^imported_test_[0-9A-Za-z]{8}$/);
    const office = { sourceIp: '10.1.2.3' };
    expect(await verify(secret, office)).toEqual({
      valid: true,
      code: 'VALID',
      keyId: apiKey.id,
      teamId: team,
      name: 'Old',
      env: 'test',
      prefix: apiKey.prefix,
      expiresAt,
      secret: 'current',
      scopes: [],
      externalId: null,
      metadata: null,
    });
    expect(await codeOf(secret)).toBe('SOURCE_NOT_ALLOWED');
    expect(await codeOf(secret, { ...office, env: 'live' })).toBe('WRONG_ENVIRONMENT');
    expect(await codeOf(`${secret}x`)).toBe('MALFORMED');
    const authorized = await send(gateway.url, {
      path: '/v1/authorize',
      headers: { authorization: `Bearer ${secret}` },
    });
    expect([authorized.status, authorized.headers['x-latchkey-code']]).toEqual([403, 'SOURCE_NOT_ALLOWED']);
    await revoke(apiKey.id);
    expect(await codeOf(secret, office)).toBe('REVOKED');
  });

  it('an imported key is listed, changed, signed, explained and revoked by its holder like any other', async () => {
    const { importAll, keys, token, explain } = newTeam();
    const secret = foreignSecret();
    const [{ apiKey }] = await importAll([{ digest: sha256(secret), prefix: 'sk_live_old1' }]);
    expect(apiKey.prefix).toBe('sk_live_old1');
    expect(await keys()).toEqual([expect.objectContaining({ id: apiKey.id, prefix: 'sk_live_old1' })]);
    expect(await explain({ secret })).toMatchObject({
      code: 'VALID',
      apiKey: { id: apiKey.id },
      checks: expect.arrayContaining([expect.objectContaining({ name: 'FORM', outcome: 'PASSED' })]),
    });
    expect((await explain({ prefix: 'sk_live_old1' })).apiKey.id).toBe(apiKey.id);
    expect(await explain({ secret: `${secret}x` })).toMatchObject({ code: 'MALFORMED', apiKey: null });
    const { url } = gateway.running;
    expect((await rest(url, token, 'POST', `/v1/keys/${apiKey.id}/signing/enable`)).status).toBe(200);
    expect(await codeOf(secret)).toBe('SIGNATURE_REQUIRED');
    const self = await send(gateway.url, {
      method: 'DELETE',
      path: '/v1/keys/self',
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(self.status).toBe(200);
    expect(await codeOf(secret)).toBe('REVOKED');
  });

  it('a repeated call changes nothing and returns the same keys, also if both calls are concurrent', async () => {
    const { importAll, keys } = newTeam();
    const lines = Array.from({ length: 20 }, (_, i) => ({ digest: sha256(foreignSecret()), name: `Key ${i}` }));
    const both = await Promise.all([importAll(lines), importAll(lines)]);
    const again = await importAll(lines);
    const idsOf = (results: { apiKey: { id: string } }[]) => results.map(({ apiKey }) => apiKey.id);
    expect(new Set(idsOf(again)).size).toBe(20);
    for (const results of both) expect(idsOf(results)).toEqual(idsOf(again));
    const outcomes = both.flat().map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'IMPORTED')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'EXISTED')).toHaveLength(20);
    expect(await keys()).toHaveLength(20);
    const [renamed] = await importAll([{ ...lines[0], name: 'Another name' }]);
    expect(renamed).toMatchObject({ outcome: 'EXISTED', apiKey: { name: 'Key 0' } });
  });
});

describe('an import brings nothing in that should not be there:', () => {
  it('a revoked key is not restored by an import, of any team and with any digest', async () => {
    const [ours, theirs] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const [{ apiKey }] = await ours.importAll([{ digest: sha512(secret) }]);
    await ours.revoke(apiKey.id);
    expect(await ours.importAll([{ digest: sha512(secret) }])).toMatchObject([
      { outcome: 'EXISTED', apiKey: { id: apiKey.id, state: 'REVOKED' } },
    ]);
    expect(await ours.importAll([{ digest: sha256(secret) }])).toMatchObject([{ outcome: 'IMPORTED' }]);
    expect(await verify(secret)).toMatchObject({ code: 'REVOKED', keyId: apiKey.id });
    for (const digest of [sha512(secret), sha256(secret)]) {
      expect(await theirs.importAll([{ digest }])).toMatchObject([{ outcome: 'IN_USE' }]);
    }
    expect(await verify(secret)).toMatchObject({ code: 'REVOKED', keyId: apiKey.id });
  });

  it('a key made here is not taken over by importing its digest, and a revoked one stays so', async () => {
    const thief = newTeam();
    const { id, secret } = await gateway.issue();
    expect(await thief.importAll([{ digest: sha256(secret) }, { digest: sha512(secret) }])).toHaveLength(2);
    expect(await verify(secret)).toMatchObject({ code: 'VALID', keyId: id });
    await gateway.revoke(id);
    expect(await verify(secret)).toMatchObject({ code: 'REVOKED', keyId: id });
  });

  it('a digest is not accepted as a key', async () => {
    const secret = foreignSecret();
    const digests = [sha256(secret), sha256(secret, 'base64'), `sha256:${sha256(secret)}`, sha512(secret)];
    await newTeam().importAll([{ digest: digests[0] }]);
    for (const digest of digests) expect(await codeOf(digest)).toBe('MALFORMED');
  });

  it('importing takes import_keys on the team, which no other permission implies, and which implies no other', async () => {
    const [secret, another] = [foreignSecret(), foreignSecret()];
    const without = newTeam(['view_team', 'manage_keys']);
    for (const dryRun of [true, false]) {
      const { errors } = (await without.call([{ digest: sha256(secret) }], { dryRun })).body;
      expect(errors[0].extensions.code).toBe('FORBIDDEN');
    }
    expect(await codeOf(secret)).toBe('MALFORMED');
    const alone = newTeam(['import_keys']);
    const [{ outcome, apiKey }] = await alone.importAll([{ digest: sha256(another) }]);
    expect([outcome, await codeOf(another)]).toEqual(['IMPORTED', 'VALID']);
    expect((await alone.revoke(apiKey.id)).status).toBe(403);
    expect((await alone.keys()).code).toBe('FORBIDDEN');
    expect(await codeOf(another)).toBe('VALID');
  });
});

describe('the results of an import', () => {
  it('invalid fields reject the whole call, are named with their index, and their values are not repeated', async () => {
    const { rejections, keys } = newTeam();
    const digest = sha256(foreignSecret());
    const { code, errors } = await rejections([
      { digest },
      { digest: 'sk-hush-hush' },
      { digest, name: '' },
      { digest, expiresAt: '2001-01-31T12:00:00.000Z' },
      { digest, allowedIps: ['10.0.0.1', '010.0.0.1'] },
      { digest, prefix: 'sk_test_abcd' },
      { digest, prefix: 'hush hush' },
    ]);
    expect(code).toBe('BAD_USER_INPUT');
    expect(errors.map(({ field }: { field: string }) => field)).toEqual([
      'keys[1].digest',
      'keys[2].name',
      'keys[3].expiresAt',
      'keys[4].allowedIps[1]',
      'keys[5].prefix',
      'keys[6].prefix',
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/hush|010/);
    const types = await rejections([{ digest, env: 'prod' }, { digest, expiresAT: null }, { name: 'x' }]);
    expect(types.errors.map(({ field }: { field: string }) => field)).toEqual([
      'keys[0].env',
      'keys[1].expiresAT',
      'keys[2].digest',
    ]);
    const tooMany = await rejections(Array.from({ length: 201 }, () => ({ digest: '' })));
    expect(tooMany.errors).toEqual([{ field: 'keys', message: 'must have at most 200 entries' }]);
    expect(await keys()).toEqual([]);
  });

  it('the results report for each key whether it exists and whether the limit is reached', async () => {
    const { importAll } = newTeam();
    const [digest, prefix] = [sha256(foreignSecret()), `sk_live_${randomBytes(4).toString('hex')}`];
    const outcomes = async (keys: readonly object[]) =>
      (await importAll(keys)).map(({ outcome }: { outcome: string }) => outcome);
    expect(await outcomes([{ digest, prefix }, { digest: sha256(foreignSecret()), prefix }, { digest }])).toEqual([
      'IMPORTED',
      'IMPORTED',
      'EXISTED',
    ]);
    const many = Array.from({ length: 30 }, () => ({ digest: sha256(foreignSecret()) }));
    expect((await outcomes(many)).slice(27)).toEqual(['IMPORTED', 'LIMIT_REACHED', 'LIMIT_REACHED']);
    expect(await outcomes([{ digest }, { digest: sha256(foreignSecret()) }])).toEqual(['EXISTED', 'LIMIT_REACHED']);
  });

  it('keys of a team can have the same prefix, which then names none of them', async () => {
    const { team, importAll } = newTeam();
    const [one, two] = [foreignSecret(), foreignSecret()];
    const given = [one, two].map((secret) => ({ digest: sha256(secret), prefix: 'sk_l' }));
    const results = await importAll(given);
    expect(results.map(({ apiKey }: { apiKey: { prefix: string } }) => apiKey.prefix)).toEqual(['sk_l', 'sk_l']);
    expect([await codeOf(one), await codeOf(two)]).toEqual(['VALID', 'VALID']);
    const explain = async (by: object) => {
      const query = `query ($input: ExplainVerificationInput!) { explainVerification(input: $input) { code apiKey { id } } }`;
      const token = sessionToken({ [team]: both });
      return (await graphql(gateway.running.url, token, query, { input: { teamId: team, ...by } })).body;
    };
    const fields = [{ field: 'prefix', message: 'is that of several keys: give the secret' }];
    expect((await explain({ prefix: 'sk_l' })).errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: fields,
    });
    const { code, apiKey } = (await explain({ secret: two })).data.explainVerification;
    expect([code, apiKey.id]).toEqual(['VALID', results[1].apiKey.id]);
  });

  it('a dry run returns the same results and imports nothing', async () => {
    const { call, importAll, keys } = newTeam();
    const [secret, known] = [foreignSecret(), sha256(foreignSecret())];
    await importAll([{ digest: known }]);
    const lines = [{ digest: sha256(secret) }, { digest: known }];
    const { dryRun, results } = (await call(lines, { dryRun: true })).body.data.importKeys;
    expect([dryRun, results[0]]).toEqual([true, { outcome: 'IMPORTED', apiKey: null }]);
    expect(results[1].outcome).toBe('EXISTED');
    expect(await keys()).toHaveLength(1);
    expect(await codeOf(secret)).toBe('MALFORMED');
  });

  it('the audit trail records each import, without a digest', async () => {
    const { team, importAll } = newTeam();
    const digest = sha256(foreignSecret());
    const [{ apiKey }] = await importAll([{ digest, name: 'Billing' }]);
    const { keys, auditLog } = gateway.running.service.management.store;
    const entries = await auditLog.list({ teamId: team, limit: 10 });
    expect(entries).toMatchObject([{ action: 'KEY_IMPORTED', keyId: apiKey.id, teamId: team }]);
    expect(entries[0]?.changes).toContainEqual({ field: 'name', before: null, after: 'Billing' });
    const textOf = (stored: unknown) =>
      JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
    for (const stored of [entries, await keys.find(apiKey.id)]) expect(textOf(stored)).not.toContain(digest);
  });
});
