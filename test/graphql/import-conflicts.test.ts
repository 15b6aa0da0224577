// SECURITY.md: Hostile tenant
/** Several imported keys that match one presented key: never a wrong VALID, and never the wrong team. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { releaseKey } from '../../src/manage/upkeep/release-key.ts';
import { theProvider } from '../support/databases.ts';
import { send, startGateway } from '../support/gateway.ts';
import {
  foreignSecret,
  importingTeam,
  secondGateway,
  sha256 as sha256Of,
  sha512 as sha512Of,
} from '../support/imports.ts';
import { inTests } from '../support/in-tests.ts';
import { callerOf, graphql, importing, rest, sessionToken } from '../support/service.ts';

/** By name, with their algorithm. */
const [sha256, sha512] = [
  (secret: string) => `sha256:${sha256Of(secret)}`,
  (secret: string) => `sha512:${sha512Of(secret)}`,
];
const unattributed = {
  keyId: null,
  teamId: null,
  name: null,
  env: null,
  prefix: null,
  expiresAt: null,
  secret: null,
  scopes: [],
  externalId: null,
  metadata: null,
};

const gateway = inTests(() => startGateway(theProvider));
const management = () => gateway.running.service.management;
const verify = async (key: string, url = gateway.url) => (await rest(url, null, 'POST', '/v1/verify', { key })).body;
const codeOf = async (key: string, url = gateway.url) => (await verify(key, url)).code;
const conflicts = () => gateway.running.service.readings.verification?.().conflicts ?? Number.NaN;

const newTeam = () => importingTeam(gateway);

describe('the verdict on a key that was imported more than once', () => {
  it.each([
    ['the other algorithm', sha512],
    ['the same digest', sha256],
  ])('a key that two teams imported, the second by %s, is rejected and attributed to neither', async (_, digestOf) => {
    const [owner, thief] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    await owner.importKey(sha256(secret));
    expect(await verify(secret)).toMatchObject({ code: 'VALID', teamId: owner.team });
    await thief.importKey(digestOf(secret));
    expect(await verify(secret)).toEqual({ valid: false, code: 'NOT_FOUND', ...unattributed });
    const authorized = await send(gateway.url, {
      path: '/v1/authorize',
      headers: { authorization: `Bearer ${secret}` },
    });
    expect([authorized.status, authorized.headers['x-latchkey-code']]).toEqual([401, 'NOT_FOUND']);
    expect(JSON.stringify(authorized.headers)).not.toMatch(new RegExp(`${owner.team}|${thief.team}`));
  });

  it.each([
    ['the other algorithm', sha512],
    ['the same digest', sha256],
  ])('a key that its owner revoked stays REVOKED when another team imports it by %s', async (_, digestOf) => {
    const [owner, thief] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const id = await owner.importKey(sha256(secret));
    const stolen = await thief.importKey(digestOf(secret));
    await owner.revoke(id);
    expect(await verify(secret)).toEqual({ valid: false, code: 'REVOKED', ...unattributed });
    await thief.revoke(stolen);
    expect(await codeOf(secret)).toBe('REVOKED');
    expect(await newTeam().importKey(digestOf(secret))).toBeDefined();
    expect(await verify(secret)).toEqual({ valid: false, code: 'REVOKED', ...unattributed });
  });

  it.each([0, 1])('of one team’s two imports of a key, a revoked one makes it REVOKED: number %i', async (revoked) => {
    const owner = newTeam();
    const secret = foreignSecret();
    const ids = [await owner.importKey(sha256(secret)), await owner.importKey(sha512(secret))];
    expect(await verify(secret)).toMatchObject({ code: 'VALID', keyId: ids[0] });
    await owner.revoke(ids[revoked] ?? '');
    expect(await verify(secret)).toMatchObject({ code: 'REVOKED', keyId: ids[revoked] });
  });

  it('an import or a revoke of a key that is cached is in force, at every instance, when it is answered', async () => {
    const other = await secondGateway(gateway);
    const codes = async (secret: string) => [await codeOf(secret), await codeOf(secret, other)];
    for (let i = 0; i < 5; i += 1) {
      const [owner, thief] = [newTeam(), newTeam()];
      const [secret, disputed] = [foreignSecret(), foreignSecret()];
      await owner.importKey(sha512(secret));
      await owner.importKey(sha512(disputed));
      expect([await codes(secret), await codes(disputed)].flat()).toEqual(Array(4).fill('VALID'));
      const second = await owner.importKey(sha256(secret));
      expect(await codes(secret)).toEqual(['VALID', 'VALID']);
      await owner.revoke(second);
      expect(await codes(secret)).toEqual(['REVOKED', 'REVOKED']);
      const stolen = await thief.importKey(sha256(disputed));
      expect(await codes(disputed)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
      await releaseKey(management(), { keyId: stolen, requestId: 'test', now: new Date() });
      expect(await codes(disputed)).toEqual(['VALID', 'VALID']);
    }
  });

  it('of one team’s two imports, the one that was committed first counts, even if the clocks of instances differ', async () => {
    const other = await secondGateway(gateway);
    for (const aheadMs of [-60_000, 60_000]) {
      const team = randomUUID();
      const secret = foreignSecret();
      const importAt = async (digest: string, now: Date) => {
        const input = { teamId: team, keys: [{ digest, name: 'Old', env: 'live' as const }], dryRun: false };
        const { results } = await importKeys(management(), callerOf({ [team]: importing }, now), input);
        return results[0]?.apiKey?.id;
      };
      const first = await importAt(sha256(secret), new Date());
      expect(await verify(secret)).toMatchObject({ keyId: first });
      await importAt(sha512(secret), new Date(Date.now() + aheadMs));
      expect([(await verify(secret)).keyId, (await verify(secret, other)).keyId]).toEqual([first, first]);
      // Nor does a later change of the first one make it the later one.
      await graphql(
        gateway.running.url,
        sessionToken({ [team]: importing }),
        'mutation ($id: UUID!) { updateKey(id: $id, input: { name: "Changed" }) { apiKey { id } } }',
        { id: first },
      );
      expect(await verify(secret)).toMatchObject({ keyId: first, name: 'Changed' });
    }
  });
});

describe('a conflict of imports', () => {
  it('no response to an import reveals digests or prefixes of other teams', async () => {
    const [owner, prober] = [newTeam(), newTeam()];
    const [known, unknown] = [sha256(foreignSecret()), sha256(foreignSecret())];
    const [revoked, released] = [sha256(foreignSecret()), sha256(foreignSecret())];
    const prefix = `sk_live_${randomBytes(4).toString('hex')}`;
    await owner.importAll([{ digest: known, prefix }]);
    await owner.revoke(await owner.importKey(revoked));
    const keyId = await owner.importKey(released);
    await releaseKey(management(), { keyId, requestId: 'test', now: new Date() });
    const shapeOf = (answer: unknown) =>
      JSON.stringify(answer).replaceAll(/[0-9a-f-]{36}|_live_[0-9A-Za-z]+/g, 'made up');
    for (const dryRun of [true, false]) {
      const expected = shapeOf(await newTeam().importAll([{ digest: unknown }], { dryRun }));
      for (const key of [{ digest: known }, { digest: revoked }, { digest: released }]) {
        expect(shapeOf(await prober.importAll([key], { dryRun }))).toBe(expected);
      }
      const withPrefix = shapeOf(
        await prober.importAll(
          [{ digest: sha256(foreignSecret()), prefix: `sk_live_${randomBytes(4).toString('hex')}` }],
          { dryRun },
        ),
      );
      expect(shapeOf(await prober.importAll([{ digest: sha256(foreignSecret()), prefix }], { dryRun }))).toBe(
        withPrefix,
      );
    }
  });

  it('each verification of a key of several teams is counted, and the conflict is stored once for the operator', async () => {
    const [owner, thief] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const ids = [await owner.importKey(sha256(secret)), await thief.importKey(sha512(secret))];
    const before = conflicts();
    for (let i = 0; i < 3; i += 1) await codeOf(secret);
    expect(conflicts() - before).toBe(3);
    const ours = async () =>
      (await management().store.conflicts.list()).filter(({ keys }) => keys.some(({ id }) => ids.includes(id)));
    await expect.poll(ours).toHaveLength(1);
    const [conflict] = await ours();
    expect(conflict?.keys.map(({ id, teamId }) => [id, teamId]).sort()).toEqual(
      [
        [ids[0], owner.team],
        [ids[1], thief.team],
      ].sort(),
    );
    await releaseKey(management(), { keyId: ids[1] ?? '', requestId: 'test', now: new Date() });
    expect(await ours()).toEqual([]);
    expect(await verify(secret)).toMatchObject({ code: 'VALID', keyId: ids[0], teamId: owner.team });
  });

  it('the team of a rejected key learns that the key is in conflict but not with whom; other teams learn nothing', async () => {
    const [owner, thief, stranger] = [newTeam(), newTeam(), newTeam()];
    const secret = foreignSecret();
    await owner.importKey(sha256(secret));
    await thief.importKey(sha512(secret));
    const told = await owner.explain({ secret });
    expect(told).toMatchObject({ code: 'NOT_FOUND', apiKey: null });
    expect(told.checks).toContainEqual({
      name: 'EXISTENCE',
      outcome: 'FAILED',
      explanation: expect.stringContaining('Ask the operator'),
    });
    expect(JSON.stringify(told)).not.toContain(thief.team);
    expect(await stranger.explain({ secret })).toEqual(await stranger.explain({ secret: foreignSecret() }));
  });

  it('a client that revokes a presented key of several teams revokes all of them', async () => {
    const [owner, thief] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const ids = [await owner.importKey(sha256(secret)), await thief.importKey(sha512(secret))];
    const headers = { authorization: `Bearer ${secret}` };
    expect((await send(gateway.url, { method: 'DELETE', path: '/v1/keys/self', headers })).status).toBe(200);
    for (const id of ids) expect((await management().store.keys.find(id))?.revokedAt).not.toBeNull();
    expect(await codeOf(secret)).toBe('REVOKED');
  });

  it('a released key is revoked, its digest is free for the rightful team, and the audit trail of its team records it', async () => {
    const [squatter, owner] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const squatted = await squatter.importKey(sha256(secret));
    expect(await codeOf(secret)).toBe('VALID');
    const release = () => releaseKey(management(), { keyId: squatted, requestId: 'test', now: new Date() });
    expect(await release()).toMatchObject({ id: squatted, teamId: squatter.team });
    expect(await codeOf(secret)).toBe('MALFORMED');
    const id = await owner.importKey(sha256(secret));
    expect(await verify(secret)).toMatchObject({ code: 'VALID', keyId: id, teamId: owner.team });
    const trail = await management().store.auditLog.list({ teamId: squatter.team, limit: 10 });
    expect(trail.map(({ action, actor }) => [action, actor])).toEqual([
      ['KEY_REVOKED', 'operator'],
      ['KEY_IMPORTED', 'tester'],
    ]);
    expect(trail[0]?.changes).toContainEqual({ field: 'digestReleased', before: false, after: true });
    // Again, it changes nothing.
    await release();
    expect(await management().store.auditLog.list({ teamId: squatter.team, limit: 10 })).toHaveLength(2);
    // One that was revoked already keeps a secret from being imported until it is released.
    await revokeKey(management(), callerOf({ [owner.team]: importing }), id);
    expect(await codeOf(secret)).toBe('REVOKED');
    await releaseKey(management(), { keyId: id, requestId: 'test', now: new Date() });
    expect(await codeOf(secret)).toBe('MALFORMED');
  });
});
