/** A log that can't be written is lost; the service is not. */
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { LogOutput } from '../../src/http/log-output.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { rest } from '../support/service.ts';
import { killProcesses, type RunningProcess, startProcess, until, verify } from './process.ts';
import { noSmallDisk, smallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 60_000 });

afterEach(killProcesses);

const full = '/dev/full';
if (!existsSync(full)) console.warn(`part of test/faults/log.slow.test.ts is skipped: there is no ${full}`);
if (noSmallDisk !== null) console.warn(`part of test/faults/log.slow.test.ts is skipped: ${noSmallDisk}`);

it.skipIf(!existsSync(full))(
  'with a full disk behind standard output, it starts, answers, verifies and stops',
  async () => {
    const { directory, remove } = await temporaryDatabase('sqlite');
    const output = openSync(full, 'w');
    const service = await startProcess({ DATA_DIR: join(directory, 'data') }, output);
    closeSync(output);
    await expectAtWork(service);
    await remove();
  },
);

it('when the reader of its log has gone, it answers, verifies and stops', async () => {
  const { directory, remove } = await temporaryDatabase('sqlite');
  const service = await startProcess({ DATA_DIR: join(directory, 'data') });
  service.child.stdout?.destroy();
  service.child.stderr?.destroy();
  await expectAtWork(service);
  await remove();
});

async function expectAtWork(service: RunningProcess): Promise<void> {
  for (let i = 0; i < 20; i += 1) {
    expect((await rest(service.url, null, 'GET', '/v1/keys')).status).toBe(401);
    expect((await verify(service, { key: 'none' })).code).toBe('MALFORMED');
  }
  expect(await service.stop()).toBe(0);
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
