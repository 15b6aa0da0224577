/** What keeps the service from starting is reported by the name of the variable to change. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { openStore } from '../../src/service/compose/open-store.ts';
import { temporaryDatabase, theProvider } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { startBuilt } from '../support/instance.ts';
import { jwtSecret, rest } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const directory = temporaryDirectory().path;
const file = join(directory, 'file');
writeFileSync(file, '');

const base64 = () => `a:${randomBytes(32).toString('base64')}`;
const allSecrets = { JWT_SECRET: jwtSecret, KEY_PEPPERS: base64(), SIGNING_KEKS: base64() };

async function listening(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function problemOf(environment: NodeJS.ProcessEnv): Promise<string> {
  const { exit, output } = await startBuilt({ DATA_DIR: join(directory, 'data'), ...environment });
  expect(await exit).toBe(1);
  return output();
}

it.each(['PORT', 'VERIFY_PORT', 'METRICS_PORT', 'EXT_AUTHZ_PORT'])(
  'a port that another program uses is reported as %s',
  async (variable) => {
    const other = createServer();
    const port = await listening(other);
    const problem = await problemOf({ [variable]: String(port) });
    other.close();
    expect(problem).toContain(
      `Latchkey can't start: ${variable}: another program listens on port ${port} of 127.0.0.1; stop it, or set another port (EADDRINUSE)\n`,
    );
  },
);

const inFile = join(file, 'data');
const noDatabase = join(directory, 'no-database');
writeFileSync(noDatabase, 'no database at all, but long enough to be read as if it were one'.repeat(10));
const nowhere = '/proc/not/there';
it.each<[string, NodeJS.ProcessEnv]>([
  [`DATA_DIR: ${inFile} can't be written: ENOTDIR`, { DATA_DIR: inFile }],
  [`DATA_DIR: the database ${inFile}/latchkey.db can't be created: ENOTDIR`, { DATA_DIR: inFile, ...allSecrets }],
  [`DATA_DIR: ${nowhere} can't be written: ENOENT`, { DATA_DIR: nowhere }],
  [`DATA_DIR: the database ${nowhere}/latchkey.db can't be created: ENOENT`, { DATA_DIR: nowhere, ...allSecrets }],
  ["DATA_DIR: /proc/secrets.json can't be written: ENOENT", { DATA_DIR: '/proc' }],
  ["DATA_DIR: /dev/null can't be written: EEXIST", { DATA_DIR: '/dev/null' }],
  [
    `DATABASE_URL: the database ${inFile}/keys.db can't be created: ENOTDIR`,
    { DATABASE_URL: `file:${inFile}/keys.db` },
  ],
  [
    `DATABASE_URL: the database ${noDatabase} can't be used: file is not a database (SQLITE_NOTADB); restore it from a`,
    { DATABASE_URL: `file:${noDatabase}` },
  ],
  // RFC 5737: an address for documentation, which no machine has.
  [
    'HOST: 192.0.2.1 is not an address of this machine; set one that it has, or 0.0.0.0 for all (EADDRNOTAVAIL)\n',
    { HOST: '192.0.2.1' },
  ],
])('names the variable: %s', async (problem, environment) => {
  expect(await problemOf(environment)).toContain(`Latchkey can't start: ${problem}`);
});

describe('a PostgreSQL', () => {
  const withUrl = (DATABASE_URL: string) => readConfiguration({ DATABASE_URL });

  it('that does not come up is reported as DATABASE_URL, without the password', async () => {
    const url = `postgresql://latchkey:canary-5d1f@127.0.0.1:${await freePort()}/latchkey`;
    const warnings: unknown[] = [];
    const error = await openStore(withUrl(url), { warn: (...line: unknown[]) => warnings.push(line) }, 1200).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toMatch(/^Error: DATABASE_URL: PostgreSQL can't be reached: connect ECONNREFUSED/);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify([String(error), warnings])).not.toContain('canary');
  });

  if (theProvider === 'postgresql') {
    it('that comes up after the service is waited for', async () => {
      const database = await temporaryDatabase('postgresql');
      const target = new URL(database.url);
      const port = await freePort();
      const url = new URL(database.url);
      url.host = `127.0.0.1:${port}`;
      const rejection = new Promise<void>((resolve) => {
        // Its first attempt finds this port closed, since what listens here closes the connection and itself.
        const closed = createServer((socket) => {
          socket.destroy();
          closed.close(() => resolve());
        });
        closed.listen(port, '127.0.0.1');
      });
      const starting = startBuilt({ DATA_DIR: database.directory, DATABASE_URL: url.href });
      const server = createServer((socket) => {
        const upstream = connect(Number(target.port), target.hostname);
        for (const end of [socket, upstream]) end.on('error', () => undefined);
        socket.pipe(upstream).pipe(socket);
      });
      await rejection;
      await listening(server, port);
      const service = await starting;
      expect(service.output()).toMatch(/"problem":"[^\n]*PostgreSQL does not answer; trying again/);
      expect((await rest(service.url, null, 'GET', '/readyz')).status).toBe(200);
      expect(await service.stop()).toBe(0);
      server.close();
    });

    it('without that database is reported as DATABASE_URL immediately', async () => {
      const url = `${inject('postgresUrl')}/no_such_database`;
      expect(await problemOf({ DATABASE_URL: url })).toContain(
        `Latchkey can't start: DATABASE_URL: database "no_such_database" does not exist: create the database, or correct its name\n`,
      );
    });
  }
});
