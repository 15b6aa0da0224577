/** Services are upgraded before edges: the edges of 0.1, from the history of this repository, work with this version. */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { theProvider } from '../support/databases.ts';
import { sharedGateway } from '../support/gateway.ts';
import { callerOf, importing } from '../support/service.ts';

const run = promisify(execFile);
const gateway = sharedGateway(theProvider);

interface Client {
  readonly createLocalVerifier: typeof createLocalVerifier;
}

async function clientOf(commit: string): Promise<Client> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-edge-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await run('sh', ['-c', `git archive ${commit} src tsconfig.json | tar -x -C ${directory}`]);
  await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
  return await import(/* @vite-ignore */ join(directory, 'src/client/local-verifier.ts'));
}

/** The last commit of 0.1, and one whose edges know no names of imported keys. */
describe.each(['e40ea1d0', '68eb9f0'])('an edge of %s', (commit) => {
  it('accepts keys and imported keys, rejects each once its revoke is answered, and its counts are taken', async () => {
    const errors: unknown[] = [];
    const client = await clientOf(commit);
    const edge = client.createLocalVerifier({
      url: gateway.url,
      timeoutMs: 20_000,
      onReportError: (error) => errors.push(error),
    });
    onTestFinished(() => edge.close());
    const { management, teamId } = gateway;
    const text = `imported_at_${commit}`;
    const digest = hash('sha256', text, 'hex');
    const caller = callerOf({ [teamId]: importing });
    const { results } = await importKeys(management, caller, {
      ...{ teamId, dryRun: false },
      keys: [{ digest, name: 'Imported', env: 'live' }],
    });
    const issued = await gateway.issue();
    const codeOf = async (key: string) => (await edge.verify({ key })).code;
    for (const [key, id] of [
      [issued.secret, issued.id],
      [text, results[0]?.apiKey?.id ?? ''],
    ] as const) {
      expect([await codeOf(key), await codeOf(key)]).toEqual(['VALID', 'VALID']);
      await revokeKey(management, caller, id);
      expect(await codeOf(key)).toBe('REVOKED');
    }
    await edge.close();
    expect(errors).toEqual([]);
  });
});
