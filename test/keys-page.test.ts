/** The commands of the pages on keys, in the order of each page, have the results that it describes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { providers } from './support/databases.ts';
import { sectionOf } from './support/documents.ts';
import { startGateway } from './support/gateway.ts';
import { inTests } from './support/in-tests.ts';
import { both, rest, sessionToken } from './support/service.ts';

const run = promisify(execFile);
const blocksOf = (document: string) => (title: string) => sectionOf(document, title).blocks.map(({ text }) => text);

describe.each(providers)('on %s', (provider) => {
  const gateway = inTests(() => startGateway(provider));

  /** Runs commands and returns the answers of the service. */
  async function shell(text: string, variables: NodeJS.ProcessEnv = {}) {
    const [management, verification] = [gateway.running.url, gateway.url].map((url) => new URL(url).port);
    const commands = text.replaceAll(':4000', `:${management}`).replaceAll(':4001', `:${verification}`);
    const script = `set -eu\ncurl() { command curl "$@"; echo; }\n${commands}`;
    const TOKEN = sessionToken({ [gateway.teamId]: both });
    const env = { ...process.env, TEAM: gateway.teamId, TOKEN, ...variables };
    const { stdout } = await run('sh', ['-c', script], { env });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }
  const verdictOf = async (key: string) =>
    (await rest(gateway.url, null, 'POST', '/v1/verify', { key, sourceIp: '203.0.113.9' })).body;

  it('docs/tasks/keys.md creates a key, changes, rotates, disables, enables and revokes it', async () => {
    const commandsIn = blocksOf('docs/tasks/keys.md');
    const [created] = await shell(commandsIn('Create a key with restrictions').join('\n'));
    expect(await verdictOf(created.secret)).toMatchObject({ code: 'VALID', scopes: ['orders:read'] });

    const [read, changed] = await shell(commandsIn('Read and change a key').join('\n'), { KEY: created.id });
    const settings = { externalId: 'customer-42', tags: ['shop'], rateLimit: { limit: 100, windowSeconds: 60 } };
    expect([read, changed.id]).toEqual([expect.objectContaining(settings), created.id]);
    expect((await verdictOf(created.secret)).scopes).toEqual(['orders:read', 'orders:write']);

    const [rotate = '', end = ''] = commandsIn('Rotate the secret');
    const [rotated] = await shell(rotate, { KEY: created.id });
    expect(Date.parse(rotated.previousSecretExpiresAt) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    expect(await verdictOf(created.secret)).toMatchObject({ code: 'VALID', secret: 'previous' });
    expect(await shell(end, { KEY: created.id })).toEqual([{ ok: true }]);
    expect((await verdictOf(created.secret)).code).toBe('ROTATED');

    const [disable = '', enable = ''] = commandsIn('Disable and enable a key')
      .join('\n')
      .split(/^(?=curl .*\/enable)/m);
    expect(await shell(disable, { KEY: created.id })).toEqual([{ ok: true }]);
    expect((await verdictOf(rotated.secret)).code).toBe('DISABLED');
    expect(await shell(enable, { KEY: created.id })).toEqual([{ ok: true }]);
    expect((await verdictOf(rotated.secret)).code).toBe('VALID');

    expect(await shell(commandsIn('Revoke a key').join('\n'), { KEY: created.id })).toEqual([{ ok: true }]);
    expect((await verdictOf(rotated.secret)).code).toBe('REVOKED');
  });

  it('docs/tasks/customer-keys.md creates a key for a customer, lists and revokes all its keys', async () => {
    const commandsIn = blocksOf('docs/tasks/customer-keys.md');
    const [create = ''] = commandsIn('Create a key for a customer');
    const [created] = await shell(create);
    const [verify = ''] = commandsIn('What your API learns');
    const learned = { externalId: 'customer-42', metadata: { plan: 'pro' }, scopes: ['orders:read'] };
    expect(await shell(verify, { SECRET: created.secret })).toEqual([
      expect.objectContaining({ code: 'VALID', ...learned }),
    ]);

    const [other] = await shell(create.replace('customer-42', 'customer-43').replace('order-1001', 'order-1002'));
    const idsOf = (keys: readonly { id: string }[]) => keys.map(({ id }) => id);
    const listing = commandsIn('List the keys of a customer').join('\n');
    expect((await shell(listing)).map(idsOf)).toEqual([[created.id], [other.id, created.id]]);

    const [dryRun = '', revoke = ''] = commandsIn('Revoke all keys of a customer');
    const [{ data: selected }] = await shell(dryRun);
    expect(selected.revokeKeys.count).toBe(1);
    const [revoked] = await shell(revoke, { SELECTION: selected.revokeKeys.selection });
    expect(revoked).toEqual({ data: { revokeKeys: { count: 1 } } });
    expect(await shell(verify, { SECRET: created.secret })).toEqual([
      expect.objectContaining({ code: 'REVOKED', ...learned }),
    ]);
    expect((await verdictOf(other.secret)).code).toBe('VALID');
  });
});
