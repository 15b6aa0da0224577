/** `latchkey doctor`: finds problems of the service on this machine, and says how to solve them. */
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Command } from 'commander';
import { problemOfKeySet } from '../../auth/key-set.ts';
import {
  type Configuration,
  ConfigurationError,
  readConfiguration,
  similarVariables,
} from '../../config/configuration.ts';
import { needsGeneratedSecrets, secretsPath } from '../../config/secrets-file.ts';
import { localUrlOf } from '../../config/url.ts';
import type { RecordedConflict } from '../../store/changes/key-conflicts.ts';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { printResult, tableOf } from '../print.ts';
import { ringsOf, withStore } from './own-store.ts';

interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'error';
  /** What was found and what to do, without secrets. */
  readonly note: string;
}

const colors = { ok: 'green', warning: 'yellow', error: 'red' } as const;

/** Machines whose clocks differ by more than this reject each other's tokens and signatures. */
const clockToleranceMs = 5000;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check configuration, store, migrations, clock and ports; exits with 1 if it finds an error')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const findings = await examine();
      printResult(findings, json, () =>
        tableOf(
          null,
          findings.map(({ what, state, note }) => [{ text: state, color: colors[state] }, what, note]),
        ),
      );
      if (findings.some(({ state }) => state === 'error')) process.exitCode = exitCodes.failed;
    });
}

const ok = (what: string, note: string): Finding => ({ what, state: 'ok', note });
const warning = (what: string, note: string): Finding => ({ what, state: 'warning', note });
const error = (what: string, note: string): Finding => ({ what, state: 'error', note });

async function examine(): Promise<Finding[]> {
  const similar = similarVariables(process.env).map((note) => warning('configuration', note));
  let configuration: Configuration;
  try {
    configuration = readConfiguration(process.env);
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return [...thrown.problems.map((note) => error('configuration', note)), ...similar];
  }
  return [
    ok('configuration', 'every variable is valid'),
    ...similar,
    examineSecrets(configuration),
    ...(await examineKeySet(configuration)),
    ...(await examineStore(configuration)),
    ...(await examinePort('management port', configuration.HOST, configuration.PORT)),
    ...(await examinePort('verification port', configuration.VERIFY_HOST, configuration.VERIFY_PORT)),
  ];
}

function examineSecrets(configuration: Configuration): Finding {
  const what = 'secrets';
  if (!needsGeneratedSecrets(configuration)) return ok(what, 'all come from the environment');
  const path = secretsPath(configuration.DATA_DIR);
  if (!existsSync(path)) return warning(what, 'none yet: the first start generates them');
  if ((statSync(path).mode & 0o077) !== 0) {
    return error(what, `${path} can be read by other users: run chmod 600 on it, and rotate its secrets`);
  }
  try {
    ringsOf(configuration);
    return ok(what, `${path} can be read by its owner only`);
  } catch (thrown) {
    return error(what, messageOf(thrown));
  }
}

async function examineKeySet({ JWT_JWKS_URL }: Configuration): Promise<Finding[]> {
  if (JWT_JWKS_URL === undefined) return [];
  const problem = await problemOfKeySet(JWT_JWKS_URL);
  return problem === null
    ? [ok('session tokens', 'JWT_JWKS_URL has keys that can verify them')]
    : [error('session tokens', `JWT_JWKS_URL: ${problem}`)];
}

async function examineStore({ DATABASE_URL }: Configuration): Promise<Finding[]> {
  const what = DATABASE_URL.provider === 'sqlite' ? `store ${DATABASE_URL.file}` : 'store PostgreSQL';
  if (DATABASE_URL.provider === 'sqlite' && !existsSync(DATABASE_URL.file)) {
    return [warning(what, 'none yet: the first start creates it')];
  }
  try {
    return await withStore(async (store) => {
      await store.ping();
      const problems = await store.settingsProblems();
      return [
        ok(what, 'reachable, with all migrations of this version'),
        ...problems.map(({ isSerious, note }) => (isSerious ? error(what, note) : warning(what, note))),
        examineConflicts(await store.conflicts.list()),
      ];
    });
  } catch (thrown) {
    return [error(what, messageOf(thrown))];
  }
}

/** Conflicts are only a warning, so that no team can make the check fail by importing another team's key. */
function examineConflicts(conflicts: readonly RecordedConflict[]): Finding {
  const what = 'imported keys';
  const [newest] = conflicts;
  if (newest === undefined) return ok(what, 'no two teams have imported the same key');
  const keys = newest.keys.map(({ id, teamId }) => `${id} of team ${teamId}`).join(' and ');
  const others = conflicts.length > 1 ? ` (and ${conflicts.length - 1} other pairs)` : '';
  return warning(
    what,
    `${keys} match the same presented key, which is rejected${others}: see npx latchkey release-key`,
  );
}

/** Checks that the port is free, or served by a Latchkey that is ready and whose clock agrees with this machine's. */
async function examinePort(what: string, host: string, number: number): Promise<Finding[]> {
  const url = localUrlOf(host, number);
  const listenError = await listenErrorOf(host, number);
  if (listenError === null) return [ok(what, `${url} is free`)];
  const sentAt = Date.now();
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => null);
  if (response === null || !/^(?:application\/json)/.test(response.headers.get('content-type') ?? '')) {
    return [error(what, `${url}: ${listenError}, and no Latchkey answers there: use another port`)];
  }
  const aheadMs = Date.parse(response.headers.get('date') ?? '') - sentAt;
  return [
    response.ok
      ? ok(what, `${url} is served by a Latchkey that is ready`)
      : error(what, `${url} is served by a Latchkey that is not ready: see its log`),
    Math.abs(aheadMs) <= clockToleranceMs
      ? ok(`clock, ${what}`, 'agrees with the clock of this machine')
      : error(`clock, ${what}`, `is ${Math.round(aheadMs / 1000)} s off: run an NTP service`),
  ];
}

/** Returns why the port can't be used, or null if it is free. */
async function listenErrorOf(host: string, port: number): Promise<string | null> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', (thrown) => resolve(messageOf(thrown)));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
