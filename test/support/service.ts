/** A complete Latchkey in this process, on its own database and port, without mocks. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import jwt from 'jsonwebtoken';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { Permission } from '../../src/domain/key/permission.ts';
import { createManagementServer } from '../../src/http/server.ts';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import type { Caller } from '../../src/manage/management.ts';
import { checkedFetch } from './checked-fetch.ts';
import { compose, type Service } from './compose.ts';
import { temporaryDatabase } from './databases.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

export const jwtSecret = 'a secret for tests, of at least 32 bytes';

export type RunningService = Awaited<ReturnType<typeof startService>>;

export async function startService(provider: DatabaseProvider, environment: NodeJS.ProcessEnv = {}) {
  const database = await temporaryDatabase(provider);
  const running = await serviceOn(database, environment);
  const stop = async () => {
    await running.stop();
    await database.remove();
  };
  return { ...running, stop };
}

/** An instance on an existing database. Stopping it leaves the database. */
export async function serviceOn(database: TemporaryDatabase, environment: NodeJS.ProcessEnv = {}) {
  const service = await compose(
    readConfiguration({
      DATABASE_URL: database.url,
      DATA_DIR: database.directory,
      JWT_SECRET: jwtSecret,
      LOG_LEVEL: 'silent',
      MANAGEMENT_RATE_LIMIT: '1000000',
      FAILED_TOKEN_LIMIT: '1000000',
      ...environment,
    }),
  );
  const server = await new Promise<Server>((resolve) => {
    const listening = createManagementServer(service.app).listen(0, '127.0.0.1', () => resolve(listening));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    service,
    /** That of the management port. */
    server,
    url: `http://127.0.0.1:${address.port}`,
    database,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}

export const both: readonly Permission[] = ['view_team', 'manage_keys'];
export const importing: readonly Permission[] = [...both, 'import_keys'];

/** A session token for teams, each with its permissions. */
export function sessionToken(teams: Readonly<Record<string, readonly Permission[]>>, subject = 'tester'): string {
  return jwt.sign({ teams }, jwtSecret, { subject, expiresIn: 3600 });
}

/** Returns a caller for the use cases, as the HTTP layer creates it from a session token. */
export function callerOf(teams: Readonly<Record<string, readonly Permission[]>>, now = new Date()): Caller {
  return {
    session: {
      subject: 'tester',
      teams: new Map(Object.entries(teams).map(([teamId, permissions]) => [teamId, new Set(permissions)])),
      teamNames: new Map(),
    },
    actorKind: 'SESSION',
    credential: null,
    source: '127.0.0.1',
    requestId: randomUUID(),
    now,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // What a test expects of a body is asserted by the test.
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A REST call, held against the OpenAPI description; the body is sent as JSON unless it is text or bytes already. */
export async function rest(
  url: string,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await checkedFetch(url + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(raw === undefined ? {} : { body: raw as string | Uint8Array<ArrayBuffer> }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** A GraphQL call over HTTP, answered with the statuses of the GraphQL-over-HTTP specification. */
export async function graphql(
  url: string,
  token: string | null,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const accept = 'application/graphql-response+json';
  return await rest(url, token, 'POST', '/graphql', { query, variables }, { accept });
}

/** A second instance on the store of the first. */
export async function secondInstance(first: RunningService, environment: NodeJS.ProcessEnv = {}): Promise<Service> {
  const { url: DATABASE_URL, directory: DATA_DIR } = first.database;
  return await compose(
    readConfiguration({ DATABASE_URL, DATA_DIR, JWT_SECRET: jwtSecret, LOG_LEVEL: 'silent', ...environment }),
  );
}
