/** A log that can't be written is lost; the service is not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { LogOutput } from '../../../src/service/log.ts';
import { temporaryDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { type Instance, killInstances, serviceEnvironment, startInstance, until } from '../../support/instance.ts';
import { rest } from '../../support/service.ts';
import { noSmallDisk, smallDisk } from './small-disk.ts';

afterEach(killInstances);

const full = '/dev/full';
if (!existsSync(full)) console.warn(`part of test/chaos/faults/log.slow.test.ts is skipped: there is no ${full}`);
if (noSmallDisk !== null) console.warn(`part of test/chaos/faults/log.slow.test.ts is skipped: ${noSmallDisk}`);

it.skipIf(!existsSync(full))(
  'with a full disk behind standard output, it starts, answers, verifies and stops',
  async () => {
    const { directory, remove } = await temporaryDatabase('sqlite');
    const [PORT, VERIFY_PORT] = [String(await freePort()), String(await freePort())];
    const urls = { url: `http://127.0.0.1:${PORT}`, verifyUrl: `http://127.0.0.1:${VERIFY_PORT}` };
    const environment = {
      ...process.env,
      ...serviceEnvironment({ DATA_DIR: join(directory, 'data'), PORT, VERIFY_PORT }),
    };
    const child = spawn('sh', ['-c', `exec node dist/main.js > ${full}`], { env: environment });
    const exit = once(child, 'exit');
    for (const url of Object.values(urls))
      await until('it answers', () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      );
    await expectAtWork(urls);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await remove();
  },
);

it('when the reader of its log has gone, it answers, verifies and stops', async () => {
  const { directory, remove } = await temporaryDatabase('sqlite');
  const service = await startInstance({ DATA_DIR: join(directory, 'data') });
  service.process.stdout?.destroy();
  service.process.stderr?.destroy();
  await expectAtWork(service);
  expect(await service.stop()).toBe(0);
  await remove();
});

async function expectAtWork({ url, verifyUrl }: Pick<Instance, 'url' | 'verifyUrl'>): Promise<void> {
  for (let i = 0; i < 20; i += 1) {
    expect((await rest(url, null, 'GET', '/v1/keys')).status).toBe(401);
    expect((await rest(verifyUrl, null, 'POST', '/v1/verify', { key: 'none' })).body.code).toBe('MALFORMED');
  }
}

it.skipIf(noSmallDisk !== null)(
  'lines are lost while the disk is full, and whole again once there is space',
  async () => {
    const disk = smallDisk('1m');
    try {
      const file = join(disk.directory, 'log');
      const descriptor = openSync(file, 'a');
      const log = new LogOutput(descriptor);
      const lines = () => readFileSync(file, 'utf8').split('\n');
      log.write('before\n');
      await until('the first line is there', async () => lines().includes('before'));
      disk.fill();
      // The file's last page has space for its beginning.
      const torn = `torn ${'x'.repeat(100_000)}`;
      log.write(`${torn}\n`);
      await until('its beginning is there', async () => (lines()[1] ?? '').startsWith('torn'));
      // While we fail fifty times, one after the other, it has long given up; and again with the next line.
      const failFiftyTimes = async () => {
        for (let i = 0; i < 50; i += 1) await expect(appendFile(`${file}-too`, 'x')).rejects.toThrow('ENOSPC');
      };
      await failFiftyTimes();
      log.write('lost\n');
      await failFiftyTimes();
      disk.free();
      await until('a line is written again', async () => {
        log.write('after\n');
        return lines().includes('after');
      });
      expect(torn.startsWith(lines()[1] ?? '-')).toBe(true);
      expect(new Set(lines().slice(2))).toEqual(new Set(['after', '']));
    } finally {
      disk.remove();
    }
  },
);
