// SECURITY.md: Slow reader
/** The built service with fewer file descriptors than there are connections. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { temporaryDatabase } from '../support/databases.ts';
import { send } from '../support/gateway.ts';
import { startBuilt, until } from '../support/instance.ts';
import { both, jwtSecret, rest, sessionToken } from '../support/service.ts';

it('more idle connections than the limit of open files allows end nothing, and new ones are served when they have gone', async () => {
  const database = await temporaryDatabase('sqlite');
  const running = await startBuilt({ DATA_DIR: database.directory, JWT_SECRET: jwtSecret }, { maxOpenFiles: 300 });
  const { url, verifyUrl } = running;
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const status = (origin: string, path: string, agent?: Agent) =>
    send(origin, { path, elsewhere: true, ...(agent && { agent }) }).then(
      (answer) => answer.status,
      () => undefined,
    );
  const page = await (await fetch(url)).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
  expect(await status(url, script, kept)).toBe(200);

  const sockets: Socket[] = [];
  let closed = 0;
  for (const origin of [url, verifyUrl]) {
    for (let i = 0; i < 400; i += 1) sockets.push(connect(Number(new URL(origin).port), '127.0.0.1'));
  }
  for (const socket of sockets) socket.on('error', () => undefined).once('close', () => (closed += 1));
  // Of 400 at each port, 250 are closed as they come.
  await until('the connections above the limit are closed', () => closed >= 300);
  for (let i = 0; i < 20; i += 1) expect(await status(url, script, kept)).toBe(200);
  expect(running.process.exitCode).toBeNull();

  for (const socket of sockets) socket.destroy();
  await until('both ports serve again', async () => {
    const statuses = [await status(url, '/readyz'), await status(verifyUrl, '/readyz')];
    return statuses.every((one) => one === 200);
  });
  const team = randomUUID();
  expect((await rest(url, sessionToken({ [team]: both }), 'GET', `/v1/keys?teamId=${team}`)).status).toBe(200);
  expect(running.output()).not.toContain('ended');
  kept.destroy();
  expect(await running.stop()).toBe(0);
  await database.remove();
});
