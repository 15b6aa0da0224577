/** The service and an edge start with the variables and secrets of compose.yaml and of the manifests for Kubernetes. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { makeKey } from '../support/calls.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { blockOf, sectionOf } from '../support/documents.ts';
import { verifyAt } from '../support/gateway.ts';
import { type Instance, killInstances, startBuilt } from '../support/instance.ts';
import { scrape } from '../support/scrape.ts';
import { jwtSecret, rest } from '../support/service.ts';
import { expectSignIn } from '../support/sign-in.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { compose, containerOf, environmentOf, kubernetes, ofKind, podOf, type Workload } from './manifests.ts';

const run = promisify(execFile);
const documented = 'docs/start/deploying.md';
const { path: directory } = temporaryDirectory();
const secrets = join(directory, 'deploy/secrets');
const databases: { readonly remove: () => Promise<void> }[] = [];
afterEach(async () => {
  await killInstances();
  for (const database of databases.splice(0)) await database.remove();
});

const secretOf = async (name: string) => (await readFile(join(secrets, name), 'utf8')).trim();

beforeAll(async () => {
  await mkdir(join(directory, 'deploy'));
  await run('sh', ['-euc', blockOf(documented, 'Docker Compose')], { cwd: directory });
});

/** Has PostgreSQL listen, and session tokens signed, as the tests do. */
async function useDatabase(): Promise<void> {
  const database = await temporaryDatabase('postgresql');
  databases.push(database);
  await run('chmod', ['-R', 'u+w', secrets]);
  await writeFile(join(secrets, 'database_url'), `${database.url}\n`);
  await writeFile(join(secrets, 'jwt_secret'), `${jwtSecret}\n`);
}

/** The ports and the directory for data are those of a test; each address is that of the container. */
function here(environment: Readonly<Record<string, string>>, from: string, to: string): NodeJS.ProcessEnv {
  const placed = Object.entries(environment).map(([name, value]) => [name, value.replace(`${from}/`, `${to}/`)]);
  const image = { NODE_ENV: 'production', HOST: '0.0.0.0', VERIFY_HOST: '0.0.0.0' };
  return { ...image, ...Object.fromEntries(placed), METRICS_PORT: '0', DRAIN_GRACE_MS: '0' };
}

const reachable = (url: string) => url.replace('0.0.0.0', '127.0.0.1');

async function expectVerdict({ url }: Pick<Instance, 'url'>, verifiers: readonly string[]): Promise<void> {
  const { secret } = await makeKey({ url: reachable(url) });
  for (const verifyUrl of verifiers) {
    expect((await verifyAt(reachable(verifyUrl), { key: secret })).status).toBe(401);
    const answer = await verifyAt(reachable(verifyUrl), { key: secret }, await secretOf('verifier_tokens'));
    expect(answer.body.code).toBe('VALID');
  }
}

describe('Compose', () => {
  it('gets secrets that only their directory protects, for the database and the user of compose.yaml', async () => {
    expect((await stat(secrets)).mode & 0o777).toBe(0o700);
    const files = await readdir(secrets);
    expect(files.sort()).toEqual(Object.keys(compose.secrets).sort());
    for (const file of files) expect((await stat(join(secrets, file))).mode & 0o777).toBe(0o444);
    const url = new URL(await secretOf('database_url'));
    const { POSTGRES_USER, POSTGRES_DB } = compose.services.postgres.environment;
    expect([url.username, url.password, url.hostname, url.pathname]).toEqual([
      POSTGRES_USER,
      await secretOf('postgres_password'),
      'postgres',
      `/${POSTGRES_DB}`,
    ]);
    const { environment } = compose.services.latchkey;
    const { DATABASE_URL } = readConfiguration({
      ...here(environment, '/run/secrets', secrets),
      VERIFY_LEASE_MS: '50',
    });
    expect(DATABASE_URL.provider).toBe('postgresql');
  });

  it('starts the service, which signs in by the documented link, verifies keys and shows metrics only with the token', async () => {
    await useDatabase();
    const environment = here(compose.services.latchkey.environment, '/run/secrets', secrets);
    const service = await startBuilt({ ...environment, DATA_DIR: join(directory, 'data') });
    await expectVerdict(service, [service.verifyUrl]);
    await expect(scrape(reachable(service.metricsUrl))).rejects.toThrow('401');
    await scrape(reachable(service.metricsUrl), await secretOf('metrics_token'));
    const commands = blockOf(documented, 'Docker Compose', 1);
    expect(commands).toMatch(/^docker compose --file deploy\/compose\.yaml up --build --detach --wait\n/);
    await expectSignIn(commands, { url: reachable(service.url), environment });
    expect(service.output()).not.toContain(await secretOf('key_peppers'));
  });
});

describe('Kubernetes', () => {
  const [deployment] = ofKind('Deployment');
  const [edge] = ofKind('DaemonSet');
  if (deployment === undefined || edge === undefined) throw new Error('there are a Deployment and a DaemonSet');

  /** Runs the documented commands with a stand-in for kubectl, which keeps the secrets in directories. */
  async function applyDocumented(): Promise<string[]> {
    await mkdir(join(directory, 'bin'), { recursive: true });
    await writeFile(join(directory, 'bin/kubectl'), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${directory}/calls\n`, {
      mode: 0o755,
    });
    const env = { ...process.env, PATH: `${directory}/bin:${process.env.PATH}` };
    await rm(join(directory, 'calls'), { force: true });
    await run('sh', ['-euc', blockOf(documented, 'Kubernetes')], { cwd: directory, env });
    const calls = (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n');
    for (const call of calls) {
      const [, name] = /^-n latchkey create secret generic (\S+)/.exec(call) ?? [];
      if (name === undefined) continue;
      await mkdir(join(directory, 'cluster', name), { recursive: true });
      for (const [, path = ''] of call.matchAll(/--from-file=(\S+)/g)) {
        const isFolder = (await stat(join(directory, path))).isDirectory();
        const target = join(directory, 'cluster', name, isFolder ? '' : basename(path));
        await cp(join(directory, path), target, { recursive: true });
      }
    }
    return calls.filter((call) => !call.includes('create secret'));
  }

  /** The variables of a pod, with its secret where the documented commands have put it. */
  function variablesOf(workload: Workload): NodeJS.ProcessEnv {
    const secretName = podOf(workload).volumes?.find(({ name }) => name === 'secrets')?.secret?.secretName ?? '';
    const mountPath = containerOf(workload).volumeMounts?.find(({ name }) => name === 'secrets')?.mountPath ?? '';
    return here(environmentOf(workload), mountPath, join(directory, 'cluster', secretName));
  }

  it('starts instances and edges with the documented secrets; they are ready and alive by their probes', async () => {
    await useDatabase();
    expect(await applyDocumented()).toEqual([`apply -f ${kubernetes}/base/namespace.yaml`, `apply -k ${kubernetes}`]);
    const dataDirectory = join(directory, 'nowhere');
    const service = await startBuilt({ ...variablesOf(deployment), DATA_DIR: dataDirectory });
    const [option, upstream = ''] = containerOf(edge).args ?? [];
    expect(new URL(upstream).protocol).toBe('http:');
    const running = await startBuilt(variablesOf(edge), {
      command: `node dist/cli/latchkey.js edge ${option} ${reachable(service.verifyUrl)}`,
    });
    await expectVerdict(service, [service.verifyUrl, running.verifyUrl]);
    await scrape(reachable(running.metricsUrl), await secretOf('metrics_token'));
    // With the DATA_DIR of the pod, which has no secrets.
    const environment = { ...variablesOf(deployment), DATA_DIR: dataDirectory };
    await expectSignIn(blockOf(documented, 'Kubernetes', 1), { url: reachable(service.url), environment });
    const probes = [
      ...[deployment, edge].flatMap((workload) => {
        const { startupProbe, readinessProbe, livenessProbe } = containerOf(workload);
        const url = workload === edge ? running.verifyUrl : service.verifyUrl;
        return [startupProbe, readinessProbe, livenessProbe].flatMap((probe) =>
          probe === undefined ? [] : [{ url, path: probe.httpGet?.path ?? '' }],
        );
      }),
    ];
    expect(probes).toHaveLength(4);
    for (const { url, path } of probes) expect((await rest(reachable(url), null, 'GET', path)).status).toBe(200);
    expect(existsSync(dataDirectory)).toBe(false);
    const label = /`kubectl label namespace <name> ([\w-]+)=(\w+)`/.exec(sectionOf(documented, 'Kubernetes').prose);
    expect(label?.slice(1)).toEqual(['latchkey-verification', 'allowed']);
  });

  it('does not start an instance that lacks a secret, which it would have to generate', async () => {
    await useDatabase();
    await applyDocumented();
    // /proc cannot be written by any user, as the file system of the pod.
    const service = await startBuilt({
      ...variablesOf(deployment),
      KEY_PEPPERS_FILE: undefined,
      DATA_DIR: '/proc/nowhere',
    });
    expect(await service.exit).toBe(1);
    expect(service.output()).toContain('DATA_DIR: /proc/nowhere');
  });
});
