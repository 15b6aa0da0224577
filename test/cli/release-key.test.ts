// SECURITY.md: Hostile tenant
/** Keys that several teams imported are listed for the operator, who can release the wrong one while services run. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { providers } from '../support/databases.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { runCommand } from '../support/instance.ts';
import { callerOf, importing, rest } from '../support/service.ts';

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    gateway = await startGateway(provider);
    const { directory, url } = gateway.running.database;
    environment = { DATA_DIR: directory, DATABASE_URL: url };
  });
  afterAll(() => gateway.stop());

  const release = (args: readonly string[], input = '') => runCommand(['release-key', ...args], environment, input);
  const verify = async (key: string) => (await rest(gateway.url, null, 'POST', '/v1/verify', { key })).body;

  async function importKey(teamId: string, digest: string): Promise<string> {
    const input = { teamId, keys: [{ digest, name: 'Old', env: 'live' as const }], dryRun: false };
    const { results } = await importKeys(
      gateway.running.service.management,
      callerOf({ [teamId]: importing }, new Date()),
      input,
    );
    return results[0]?.apiKey?.id ?? '';
  }

  it('doctor and the command list a conflict that verification met, and a release ends it', async () => {
    const [owner, squatter] = [randomUUID(), randomUUID()];
    const secret = `sk-${randomBytes(24).toString('base64')}`;
    const digest = createHash('sha256').update(secret).digest('hex');
    const squatted = await importKey(squatter, digest);
    const id = await importKey(owner, createHash('sha512').update(secret).digest('hex'));
    expect((await release([])).stdout).toBe('0 conflicts\n');
    expect(await verify(secret)).toMatchObject({ code: 'NOT_FOUND', keyId: null });
    const { store } = gateway.running.service.management;
    await expect.poll(() => store.conflicts.list()).toHaveLength(1);

    const { stdout } = await release([]);
    for (const text of [`key ${squatted} of team ${squatter}`, `key ${id} of team ${owner}`, '1 conflicts: release']) {
      expect(stdout).toContain(text);
    }
    const doctor = await runCommand(['doctor', '--json'], { PORT: '0', VERIFY_PORT: '0', ...environment });
    const found = JSON.parse(doctor.stdout).find(({ what }: { what: string }) => what === 'imported keys');
    expect(found.state).toBe('warning');
    for (const text of [squatter, squatted, owner, id]) expect(found.note).toContain(text);

    const holders = await release(['--digest', '-'], `sha256:${digest}\n`);
    expect(holders.stdout).toContain(`key ${squatted} of team ${squatter}`);
    expect(holders.stdout).toContain('1 keys have this digest');
    expect((await release([squatted])).stdout).toContain('with --yes');
    expect(await verify(secret)).toMatchObject({ code: 'NOT_FOUND' });
    expect(JSON.parse((await release([squatted, '--yes', '--json'])).stdout)).toMatchObject({
      key: { id: squatted, teamId: squatter, state: 'REVOKED' },
      released: true,
    });
    expect((await release([squatted, '--yes'])).stdout).toContain('Released');
    expect(await verify(secret)).toMatchObject({ code: 'VALID', keyId: id, teamId: owner });
    expect((await release([])).stdout).toBe('0 conflicts\n');
    // Nine processes, which take seconds each to start on a busy machine.
  });

  it.each([
    [['--digest', 'sk-hush-hush'], 1, 'must be the SHA-256 or SHA-512 digest'],
    [[randomUUID()], 1, 'there is no key with this id'],
    [[randomUUID(), '--yes'], 1, 'there is no key with this id'],
    [['--yes'], 2, 'give one key id, or a digest'],
  ])('%j is rejected with what was expected, and what was given is not repeated', async (args, expected, message) => {
    const { exitCode, stdout, stderr } = await release(args);
    expect([exitCode, stdout]).toEqual([expected, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hush');
  });
});
