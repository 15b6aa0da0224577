/** `latchkey doctor`: finds problems of the service on this machine, and says what to do about them. */
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Command } from 'commander';
import { problemOfKeySet } from '../auth/key-set.ts';
import { type Configuration, ConfigurationError, readConfiguration } from '../config/configuration.ts';
import { needsGeneratedSecrets, secretsPath } from '../config/secrets-file.ts';
import { similarVariables } from '../config/similar-variables.ts';
import { urlOf } from '../config/url.ts';
import type { RecordedConflict } from '../store/changes/key-conflicts.ts';
import { Store } from '../store/store.ts';
import { ringsWith } from '../tools/command.ts';
import { exitCodes } from './failure.ts';
import { printJson, printTable } from './print.ts';

interface Finding {
  readonly what: string;
  readonly state: 'good' | 'look' | 'wrong';
  /** What was found, and what to do. Never a secret. */
  readonly note: string;
}

/** Machines whose clocks differ by more than this reject each other's tokens and signatures. */
const clockToleranceMs = 5000;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check configuration, store, migrations, clock and ports; exits with 1 if something is wrong')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const findings = await examine();
      if (json === true) printJson(findings);
      else
        printTable(
          [],
          findings.map(({ what, state, note }) => [state, what, note]),
        );
      if (findings.some(({ state }) => state === 'wrong')) process.exitCode = exitCodes.failed;
    });
}

async function examine(): Promise<Finding[]> {
  const similar = similarVariables(process.env).map(
    (note): Finding => ({ what: 'configuration', state: 'look', note }),
  );
  let configuration: Configuration;
  try {
    configuration = readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [...error.problems.map((note): Finding => ({ what: 'configuration', state: 'wrong', note })), ...similar];
  }
  return [
    { what: 'configuration', state: 'good', note: 'every variable is valid' },
    ...similar,
    secretsFile(configuration),
    ...(await keySet(configuration)),
    ...(await store(configuration)),
    ...(await port('management port', configuration.HOST, configuration.PORT)),
    ...(await port('verification port', configuration.VERIFY_HOST, configuration.VERIFY_PORT)),
  ];
}

function secretsFile(configuration: Configuration): Finding {
  const what = 'secrets';
  if (!needsGeneratedSecrets(configuration)) return { what, state: 'good', note: 'all come from the environment' };
  const path = secretsPath(configuration.DATA_DIR);
  if (!existsSync(path)) return { what, state: 'look', note: 'none yet: the first start generates them' };
  if ((statSync(path).mode & 0o077) !== 0) {
    return {
      what,
      state: 'wrong',
      note: `${path} can be read by other users: run chmod 600 on it, and rotate its secrets`,
    };
  }
  try {
    ringsWith(configuration, configuration.DATA_DIR);
    return { what, state: 'good', note: `${path} can be read by its owner only` };
  } catch (error) {
    return { what, state: 'wrong', note: messageOf(error) };
  }
}

async function keySet({ JWT_JWKS_URL }: Configuration): Promise<Finding[]> {
  if (JWT_JWKS_URL === undefined) return [];
  const what = 'session tokens';
  const problem = await problemOfKeySet(JWT_JWKS_URL);
  return problem === null
    ? [{ what, state: 'good', note: 'JWT_JWKS_URL has keys that can verify them' }]
    : [{ what, state: 'wrong', note: `JWT_JWKS_URL: ${problem}` }];
}

async function store({ DATABASE_URL }: Configuration): Promise<Finding[]> {
  const what = DATABASE_URL.provider === 'sqlite' ? `store ${DATABASE_URL.file}` : 'store PostgreSQL';
  if (DATABASE_URL.provider === 'sqlite' && !existsSync(DATABASE_URL.file)) {
    return [{ what, state: 'look', note: 'none yet: the first start creates it' }];
  }
  try {
    const opened = await Store.openAsItIs(DATABASE_URL);
    try {
      await opened.ping();
      const problems = await opened.settingsProblems();
      return [
        { what, state: 'good', note: 'reachable, with all migrations of this version' },
        ...problems.map(({ isSerious, note }): Finding => ({ what, state: isSerious ? 'wrong' : 'look', note })),
        importedKeys(await opened.conflicts.list()),
      ];
    } finally {
      await opened.close();
    }
  } catch (error) {
    return [{ what, state: 'wrong', note: messageOf(error) }];
  }
}

/** Reports keys that are rejected until the operator acts. Not as wrong: a team must not be able to fail the check. */
function importedKeys(conflicts: readonly RecordedConflict[]): Finding {
  const what = 'imported keys';
  const [newest] = conflicts;
  if (newest === undefined) return { what, state: 'good', note: 'no two teams have imported the same key' };
  const keys = newest.keys.map(({ id, teamId }) => `${id} of team ${teamId}`).join(' and ');
  const others = conflicts.length > 1 ? ` (and ${conflicts.length - 1} other pairs)` : '';
  return {
    what,
    state: 'look',
    note: `${keys} match the same presented key, which is rejected${others}: see npm run release-key`,
  };
}

/** Checks that the port is free, or served by a Latchkey that is ready and whose clock agrees with this machine's. */
async function port(what: string, host: string, number: number): Promise<Finding[]> {
  const url = urlOf(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, number);
  const taken = await isTaken(host, number);
  if (taken === null) return [{ what, state: 'good', note: `${url} is free` }];
  const sentAt = Date.now();
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => null);
  if (response === null || !/^(?:application\/json)/.test(response.headers.get('content-type') ?? '')) {
    return [{ what, state: 'wrong', note: `${url}: ${taken}, and no Latchkey answers there: use another port` }];
  }
  const ahead = Date.parse(response.headers.get('date') ?? '') - sentAt;
  const clock: Finding =
    Math.abs(ahead) <= clockToleranceMs
      ? { what: `clock, ${what}`, state: 'good', note: 'agrees with the clock of this machine' }
      : { what: `clock, ${what}`, state: 'wrong', note: `is ${Math.round(ahead / 1000)} s off: run an NTP service` };
  return [
    response.ok
      ? { what, state: 'good', note: `${url} is served by a Latchkey that is ready` }
      : { what, state: 'wrong', note: `${url} is served by a Latchkey that is not ready: see its log` },
    clock,
  ];
}

/** Returns null if the port is free, else the error. */
async function isTaken(host: string, number: number): Promise<string | null> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(messageOf(error)));
    server.listen({ host, port: number }, () => server.close(() => resolve(null)));
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
