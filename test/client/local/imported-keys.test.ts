/** Imported keys at a local verifier: what a change of one of them does to the others. */
import { hash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createLocalVerifier, type LocalVerifier } from '../../../src/client/local-verifier.ts';
import { importKeys } from '../../../src/manage/change/import-keys.ts';
import { disableKey, enableKey } from '../../../src/manage/change/key-state.ts';
import { rotateKey } from '../../../src/manage/change/rotate-key.ts';
import { EdgeFeed } from '../../../src/verify/edge-feed.ts';
import { providers } from '../../support/databases.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { both, callerOf, importing, rest } from '../../support/service.ts';

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let local: LocalVerifier;
  let asked: MockInstance<EdgeFeed['handle']>;
  beforeAll(async () => {
    asked = vi.spyOn(EdgeFeed.prototype, 'handle');
    gateway = await startGateway(provider);
    local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  });
  afterAll(async () => {
    asked.mockRestore();
    await local?.close();
    await gateway?.stop();
  });

  const management = () => gateway.running.service.management;
  const imported = async (team: string, secrets: readonly string[], algorithm: 'sha256' | 'sha512' = 'sha256') => {
    const keys = secrets.map((secret) => ({
      name: 'Imported',
      env: 'live' as const,
      digest: `${algorithm}:${hash(algorithm, secret, 'hex')}`,
    }));
    const { results } = await importKeys(management(), callerOf({ [team]: importing }), {
      teamId: team,
      keys,
      dryRun: false,
    });
    return results.map(({ apiKey }) => apiKey?.id ?? '');
  };
  const codes = async (secrets: readonly string[]) =>
    (await local.verifyAll(secrets.map((key) => ({ key })))).map(({ code }) => code);
  const keysAsked = () => asked.mock.calls.splice(0).flatMap(([{ keys }]) => keys);

  it('a change of an imported key, and an import, drop no keys of other teams', async () => {
    const [team, other] = [randomUUID(), randomUUID()];
    const theirs = Array.from({ length: 50 }, () => `old_${randomUUID()}`);
    const ours = `old_${randomUUID()}`;
    const [id = ''] = await imported(team, [ours]);
    await imported(other, theirs);
    expect(await codes([ours, ...theirs])).toEqual(Array(51).fill('VALID'));
    keysAsked();
    await disableKey(management(), callerOf({ [team]: both }), id);
    expect(await codes([ours, ...theirs])).toEqual(['DISABLED', ...Array(50).fill('VALID')]);
    expect(keysAsked()).toEqual([ours]);
    await enableKey(management(), callerOf({ [team]: both }), id);
    await imported(team, [`old_${randomUUID()}`]);
    expect(await codes([ours, ...theirs])).toEqual(Array(51).fill('VALID'));
    expect(keysAsked()).toEqual([ours]);
  });

  it('an import of the same key by another team takes effect at once', async () => {
    const secrets = [`old_${randomUUID()}`, `old_${randomUUID()}`] as const;
    await imported(randomUUID(), secrets);
    expect(await codes(secrets)).toEqual(['VALID', 'VALID']);
    await imported(randomUUID(), secrets.slice(0, 1));
    expect(await codes(secrets)).toEqual(['NOT_FOUND', 'VALID']);
    await imported(randomUUID(), secrets.slice(1), 'sha512');
    expect(await codes(secrets)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });

  it('a change of another key that the same presented key matches takes effect at once', async () => {
    const team = randomUUID();
    const secret = `old_${randomUUID()}`;
    await imported(team, [secret]);
    const [second = ''] = await imported(team, [secret], 'sha512');
    expect(await codes([secret])).toEqual(['VALID']);
    await rotateKey(management(), callerOf({ [team]: both }), second);
    expect(await codes([secret])).toEqual(['ROTATED']);
  });

  it.each([
    ['the same team, by another digest', 1, true, 'sha512', 'ROTATED'],
    ['another team', 1, false, 'sha256', 'NOT_FOUND'],
    ['another team', 2, false, 'sha256', 'NOT_FOUND'],
  ] as const)(
    'a key that is imported by %s, and rotated %i times before the next confirmation, still counts',
    async (_, rotations, isSame, algorithm, code) => {
      const [team, other] = [randomUUID(), randomUUID()];
      const importer = isSame ? team : other;
      const secret = `old_${randomUUID()}`;
      await imported(team, [secret]);
      expect(await codes([secret])).toEqual(['VALID']);
      const [second = ''] = await imported(importer, [secret], algorithm);
      for (let i = 0; i < rotations; i += 1) await rotateKey(management(), callerOf({ [importer]: both }), second);
      expect(await codes([secret])).toEqual([code]);
      const { body } = await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret });
      expect(body.code).toBe(code);
    },
  );
});
