/** After a restore, a newer audit trail brings back what ended keys: they are rejected again while the service runs. */
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { enableSigning, makeKey, teamId, token, verdictOn, verifyBody } from '../support/calls.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import { type Instance, killInstances, runCommand, startInstance } from '../support/instance.ts';
import { query } from '../support/postgres.ts';
import { graphql, rest } from '../support/service.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

let database: TemporaryDatabase;
let dropRestored = async () => {};

afterEach(async () => {
  await killInstances();
  await dropRestored();
  await database.remove();
});

type Place = Record<'DATA_DIR' | 'DATABASE_URL', string>;

/** Copies the database of a stopped service, with the command if it can, and returns where the copy is in use. */
async function copyOf(provider: DatabaseProvider, { DATA_DIR, DATABASE_URL }: Place): Promise<Place> {
  if (provider === 'postgresql') {
    const name = `${new URL(DATABASE_URL).pathname.slice(1)}_restored`;
    const server = inject('postgresUrl');
    await query(`${server}/postgres`, `CREATE DATABASE ${name} TEMPLATE ${new URL(DATABASE_URL).pathname.slice(1)}`);
    dropRestored = async () => {
      await query(`${server}/postgres`, `DROP DATABASE ${name} WITH (FORCE)`);
    };
    return { DATA_DIR, DATABASE_URL: `${server}/${name}` };
  }
  const [backup, restored] = [join(DATA_DIR, 'backup'), join(DATA_DIR, 'restored')];
  await runCommand(['backup', backup], { DATA_DIR, DATABASE_URL });
  const place = { DATA_DIR: restored, DATABASE_URL: `file:${join(restored, 'latchkey.db')}` };
  expect(await runCommand(['restore', backup], place)).toMatchObject({ exitCode: 0 });
  return place;
}

describe.each(providers)('on %s', (provider) => {
  it('keys that were revoked, disabled or at the end of an overlap after the backup are rejected again', async () => {
    database = await temporaryDatabase(provider);
    const place = { DATA_DIR: database.directory, DATABASE_URL: database.url };
    let service = await startInstance(place);
    const change = async (path: string, body?: object, method = 'POST') => {
      const answer = await rest(service.url, token, method, `/v1/keys/${path}`, body);
      expect(answer.status).toBe(200);
      return answer.body;
    };
    const make = () => makeKey(service);
    const [revoked, disabled, enabled, overlapping] = [await make(), await make(), await make(), await make()];
    const [rotated, resigned, restricted, kept] = [await make(), await make(), await make(), await make()];
    // Too short for a notice, which would be an entry more.
    await change(`${overlapping.id}/rotate`, { overlapSeconds: 1800 });
    await change(`${enabled.id}/disable`);
    await enableSigning(service, resigned);
    await service.stop();
    const restored = await copyOf(provider, place);

    service = await startInstance(place);
    await change(revoked.id, undefined, 'DELETE');
    await change(`${disabled.id}/disable`, { reason: 'Lost laptop' });
    await change(`${enabled.id}/enable`);
    await change(`${kept.id}/disable`);
    await change(`${kept.id}/enable`);
    await change(`${overlapping.id}/end-overlap`);
    await change(`${rotated.id}/rotate`);
    await change(`${resigned.id}/signing/rotate`);
    await change(restricted.id, { allowedIps: ['10.0.0.1'] }, 'PATCH');
    const later = await make();
    await change(later.id, undefined, 'DELETE');
    const remote = { LATCHKEY_URL: service.url, LATCHKEY_TOKEN: token, LATCHKEY_TEAM: teamId };
    const exported = await runCommand(['audit', 'export'], remote);
    const tailed = await runCommand(['events', 'tail', '--from-start'], remote);
    await service.stop();

    service = await startInstance(restored);
    const verdicts = async () =>
      Object.fromEntries(
        await Promise.all(
          Object.entries({ revoked, disabled, overlapping, rotated, kept }).map(async ([name, key]) => [
            name,
            await verdictOn(service, await verifyBody(key)),
          ]),
        ),
      );
    const empty = await runCommand(['reapply', '-', '--json'], restored, '');
    expect(empty).toMatchObject({ exitCode: 1, stdout: '' });
    expect(JSON.parse(empty.stderr).error).toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('no entries'),
    });
    const all = { revoked: 'VALID', disabled: 'VALID', overlapping: 'VALID', rotated: 'VALID', kept: 'VALID' };
    expect(await verdicts()).toEqual(all);
    const reapply = async (trail: string, ...flags: string[]) => {
      const { exitCode, stdout, stderr } = await runCommand(['reapply', '-', '--json', ...flags], restored, trail);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      return JSON.parse(stdout);
    };
    const changed = { revoked: [revoked.id], disabled: [disabled.id], overlapEnded: [overlapping.id] };
    const read = exported.stdout.trim().split('\n').length;
    const result = { read, lost: 11, changed, unknown: 1, dryRun: true };
    const dryRun = await reapply(exported.stdout, '--dry-run');
    expect(dryRun).toMatchObject(result);
    expect(await verdicts()).toEqual(all);

    expect(await reapply(exported.stdout)).toEqual({ ...dryRun, dryRun: false });
    const ended = { ...all, revoked: 'REVOKED', disabled: 'DISABLED', overlapping: 'ROTATED' };
    expect(await verdicts()).toEqual(ended);
    expect(await verdictOn(service, await verifyBody(later))).toBe('NOT_FOUND');
    const undecided = [
      { id: rotated.id, undone: ['secret'] },
      { id: resigned.id, undone: ['signing'] },
      { id: restricted.id, undone: ['allowedIps'] },
    ];
    expect(dryRun.undecided).toHaveLength(3);
    expect(dryRun.undecided).toEqual(expect.arrayContaining(undecided.map((key) => expect.objectContaining(key))));
    await expectOperatorsEntries(service, revoked.id);

    // A second time, and in another form, only what came back is changed, and what was decided is no longer listed.
    await change(`${disabled.id}/enable`);
    await change(`${rotated.id}/rotate`);
    const again = await reapply(tailed.stdout);
    expect(again.changed).toEqual({ revoked: [], disabled: [disabled.id], overlapEnded: [] });
    expect(again.undecided.map(({ id }: { id: string }) => id).sort()).toEqual([resigned.id, restricted.id].sort());
  });
});

async function expectOperatorsEntries(service: Instance, keyId: string): Promise<void> {
  const entries = `{ auditLog(teamId: "${teamId}", keyId: "${keyId}", first: 1) {
    nodes { action actor actorKind changes { field after } }
  } }`;
  const { body } = await graphql(service.url, token, entries);
  const reason = expect.stringMatching(/^applied again after a restore; first at \d{4}-/);
  expect(body.data.auditLog.nodes).toEqual([
    {
      action: 'KEY_REVOKED',
      actor: 'operator',
      actorKind: 'OPERATOR',
      changes: expect.arrayContaining([{ field: 'reason', after: reason }]),
    },
  ]);
}
