/** `npm start`, as a newcomer or a service manager runs it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startBuilt } from '../support/instance.ts';
import { rest } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

let supervisor = 0;
afterEach(() => {
  if (supervisor !== 0) process.kill(supervisor, 'SIGKILL');
  supervisor = 0;
});

const npmStart = { command: 'npm start' };

it('SIGTERM sent to npm stops the service as it should', async () => {
  const service = await startBuilt({ DATA_DIR: temporaryDirectory().path }, npmStart);
  // That of the process that writes the log.
  supervisor = Number(/"pid":(\d+)/.exec(service.output())?.[1]);
  expect((await rest(service.url, null, 'GET', '/readyz')).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.output()).toContain('"msg":"stopped"');
  supervisor = 0;
});

it('without a complete install says so in one sentence', async () => {
  const directory = temporaryDirectory().path;
  for (const file of ['package.json', 'with-node.sh', '.npmrc']) copyFileSync(file, join(directory, file));
  const steps = [
    // What an interrupted install leaves: packages without npm's record of them, then nothing built, or not all of it.
    ['node_modules', '.package-lock.json'],
    ['dist', 'main.js'],
    ['dist/dashboard', 'index.html'],
  ] as const;
  for (const [folder, file] of steps) {
    mkdirSync(join(directory, folder), { recursive: true });
    const { exit, output } = await startBuilt({}, { ...npmStart, root: directory });
    expect(await exit).toBe(1);
    const sentence = `Latchkey is not completely installed (${directory}/${folder}/${file} is missing): run npm ci --include=dev.`;
    expect(
      output()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('>')),
    ).toEqual([sentence]);
    writeFileSync(join(directory, folder, file), '');
  }
});
