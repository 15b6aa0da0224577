/** The commands of docs/tasks/keys.md, in the order of the page, have the results that it describes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { providers } from './support/databases.ts';
import { sectionOf } from './support/documents.ts';
import { startGateway } from './support/gateway.ts';
import { inTests } from './support/in-tests.ts';
import { both, rest, sessionToken } from './support/service.ts';

const run = promisify(execFile);
const commandsIn = (title: string) => sectionOf('docs/tasks/keys.md', title).blocks.map(({ text }) => text);

describe.each(providers)('on %s', (provider) => {
  const gateway = inTests(() => startGateway(provider));

  /** Runs commands and returns the answers of the service. */
  async function shell(text: string, KEY = '') {
    const { port } = new URL(gateway.running.url);
    const script = `set -eu\ncurl() { command curl "$@"; echo; }\n${text.replaceAll(':4000', `:${port}`)}`;
    const TOKEN = sessionToken({ [gateway.teamId]: both });
    const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, TEAM: gateway.teamId, TOKEN, KEY } });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }
  const verdictOf = async (key: string) =>
    (await rest(gateway.url, null, 'POST', '/v1/verify', { key, sourceIp: '203.0.113.9' })).body;

  it('creates a key, changes, rotates, disables, enables and revokes it', async () => {
    const [created] = await shell(commandsIn('Create a key with restrictions').join('\n'));
    expect(await verdictOf(created.secret)).toMatchObject({ code: 'VALID', scopes: ['orders:read'] });

    const [read, changed] = await shell(commandsIn('Read and change a key').join('\n'), created.id);
    const settings = { externalId: 'customer-42', tags: ['shop'], rateLimit: { limit: 100, windowSeconds: 60 } };
    expect([read, changed.id]).toEqual([expect.objectContaining(settings), created.id]);
    expect((await verdictOf(created.secret)).scopes).toEqual(['orders:read', 'orders:write']);

    const [rotate = '', end = ''] = commandsIn('Rotate the secret');
    const [rotated] = await shell(rotate, created.id);
    expect(Date.parse(rotated.previousSecretExpiresAt) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    expect(await verdictOf(created.secret)).toMatchObject({ code: 'VALID', secret: 'previous' });
    expect(await shell(end, created.id)).toEqual([{ ok: true }]);
    expect((await verdictOf(created.secret)).code).toBe('ROTATED');

    const [disable = '', enable = ''] = commandsIn('Disable and enable a key')
      .join('\n')
      .split(/^(?=curl .*\/enable)/m);
    expect(await shell(disable, created.id)).toEqual([{ ok: true }]);
    expect((await verdictOf(rotated.secret)).code).toBe('DISABLED');
    expect(await shell(enable, created.id)).toEqual([{ ok: true }]);
    expect((await verdictOf(rotated.secret)).code).toBe('VALID');

    expect(await shell(commandsIn('Revoke a key').join('\n'), created.id)).toEqual([{ ok: true }]);
    expect((await verdictOf(rotated.secret)).code).toBe('REVOKED');
  });
});
