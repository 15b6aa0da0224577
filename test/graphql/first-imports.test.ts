// SECURITY.md: Digests of imported keys; Hostile tenant
/** A digest belongs to one key: the first import decides, and no later one stops, takes or restores a key. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { theProvider } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
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

const gateway = inTests(() => startGateway(theProvider));
const management = () => gateway.running.service.management;
const verify = async (key: string, url = gateway.url) => (await rest(url, null, 'POST', '/v1/verify', { key })).body;
const codeOf = async (key: string, url = gateway.url) => (await verify(key, url)).code;
const newTeam = () => importingTeam(gateway);
const inUse = [{ outcome: 'IN_USE', apiKey: null }];

describe('a digest that a team has imported', () => {
  it('is in use for every other team, in a dry run too, whatever becomes of the key', async () => {
    const [owner, other] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const id = await owner.importKey(sha256(secret));
    const expectInUse = async () => {
      for (const dryRun of [true, false]) {
        expect(await other.importAll([{ digest: sha256(secret) }], { dryRun })).toEqual(inUse);
      }
      expect((await owner.importAll([{ digest: sha256(secret) }]))[0]).toMatchObject({
        outcome: 'EXISTED',
        apiKey: { id },
      });
    };
    await expectInUse();
    expect(await verify(secret)).toMatchObject({ code: 'VALID', keyId: id, teamId: owner.team });
    const rotate = 'mutation ($id: UUID!) { rotateKey(id: $id) { secret } }';
    expect((await graphql(gateway.running.url, owner.token, rotate, { id })).body.errors).toBeUndefined();
    await expectInUse();
    await owner.revoke(id);
    await expectInUse();
    expect(await verify(secret)).toMatchObject({ code: 'REVOKED', keyId: id });
    expect(await other.keys()).toEqual([]);
  });

  it('its prefix says nothing: with it, another team’s import is answered as with one of no key', async () => {
    const [owner, prober] = [newTeam(), newTeam()];
    const newPrefix = () => `sk_live_${randomBytes(4).toString('hex')}`;
    const taken = newPrefix();
    await owner.importAll([{ digest: sha256(foreignSecret()), prefix: taken }]);
    for (const dryRun of [true, false]) {
      const answers = [taken, newPrefix()].map(async (prefix) => {
        const answer = await prober.call([{ digest: sha256(foreignSecret()), prefix }], { dryRun });
        return JSON.stringify(answer.body)
          .replaceAll(prefix, 'prefix')
          .replaceAll(/[0-9a-f-]{36}/g, 'id');
      });
      const [ofTaken, ofFree] = await Promise.all(answers);
      expect(ofTaken).toContain('"IMPORTED"');
      expect(ofTaken).toBe(ofFree);
    }
  });

  it('of 20 teams that import it at once, one has it', async () => {
    const secret = foreignSecret();
    const teams = Array.from({ length: 20 }, newTeam);
    const outcomes = await Promise.all(teams.map((team) => team.importAll([{ digest: sha256(secret) }])));
    expect(
      outcomes
        .flat()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['IMPORTED', ...Array(19).fill('IN_USE')].toSorted());
    const owner = teams[outcomes.findIndex(([{ outcome }]) => outcome === 'IMPORTED')];
    expect(await verify(secret)).toMatchObject({ code: 'VALID', teamId: owner?.team });
  });

  it('the other lines of the call are imported', async () => {
    const [owner, other] = [newTeam(), newTeam()];
    const [taken, free] = [foreignSecret(), foreignSecret()];
    await owner.importKey(sha256(taken));
    const results = await other.importAll([{ digest: sha256(taken) }, { digest: sha256(free) }]);
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['IN_USE', 'IMPORTED']);
    expect(await codeOf(free)).toBe('VALID');
  });
});

describe('of two imports of one key, by SHA-256 and by SHA-512', () => {
  it.each([
    ['sha256', sha256, sha512],
    ['sha512', sha512, sha256],
  ])('the first, by %s, decides at every instance, whatever becomes of another team’s', async (_, first, second) => {
    const other = await secondGateway(gateway);
    const [owner, thief] = [newTeam(), newTeam()];
    const secret = foreignSecret();
    const keyId = await owner.importKey(first(secret));
    const verdicts = async () => [await verify(secret), await verify(secret, other)];
    const valid = Array(2).fill(expect.objectContaining({ code: 'VALID', keyId, teamId: owner.team }));
    expect(await verdicts()).toEqual(valid);
    const stolen = await thief.importKey(second(secret));
    expect(await verdicts()).toEqual(valid);
    await thief.revoke(stolen);
    expect(await verdicts()).toEqual(valid);
    await owner.revoke(keyId);
    expect(await verdicts()).toEqual(Array(2).fill(expect.objectContaining({ code: 'REVOKED', keyId })));
  });

  it('the one that was committed first decides, even if the clocks of instances differ', async () => {
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

  it('the later team learns that another import decides, but not whose; other teams learn nothing', async () => {
    const [owner, later, stranger] = [newTeam(), newTeam(), newTeam()];
    const secret = foreignSecret();
    await owner.importKey(sha256(secret));
    await later.importKey(sha512(secret));
    const told = await later.explain({ secret });
    expect(told).toMatchObject({ code: 'NOT_FOUND', apiKey: null });
    expect(told.checks).toContainEqual({
      name: 'EXISTENCE',
      outcome: 'FAILED',
      explanation: expect.stringContaining('ask the operator'),
    });
    expect(JSON.stringify(told)).not.toContain(owner.team);
    expect(await owner.explain({ secret })).toMatchObject({ code: 'VALID' });
    expect(await stranger.explain({ secret })).toEqual(await stranger.explain({ secret: foreignSecret() }));
  });
});
