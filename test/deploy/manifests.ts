/** The manifests of deploy, as the tests read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Namespace, PodSpec, Service } from 'kubernetes-types/core/v1.d.ts';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';
import { parse, parseAllDocuments } from 'yaml';

export type Manifest = Namespace | Deployment | DaemonSet | Service | NetworkPolicy | PodDisruptionBudget;
type Kind = NonNullable<Manifest['kind']>;
export type Workload = Deployment | DaemonSet;

export const kubernetes = 'deploy/kubernetes';

interface Kustomization {
  readonly namespace: string;
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newName: string }[];
}

export function kustomizationOf(folder: string): Kustomization {
  return parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
}

/** The files of each kustomization that have manifests. */
export const folders = [join(kubernetes, 'base'), join(kubernetes, 'edge')].map((folder) => ({
  folder,
  files: readdirSync(folder).filter((name) => name !== 'kustomization.yaml'),
}));

export const manifests: readonly Manifest[] = folders.flatMap(({ folder, files }) =>
  files.flatMap((file) =>
    // Kubernetes reads YAML 1.1, in which 0440 is octal.
    parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { version: '1.1' }).map((document) => {
      if (document.errors.length > 0) throw new Error(`${folder}/${file}: ${document.errors}`);
      return document.toJS() as Manifest;
    }),
  ),
);

export function ofKind<K extends Kind>(kind: K): readonly Extract<Manifest, { kind?: K }>[] {
  return manifests.filter((manifest): manifest is Extract<Manifest, { kind?: K }> => manifest.kind === kind);
}

export const workloads: readonly Workload[] = [...ofKind('Deployment'), ...ofKind('DaemonSet')];

export function podOf({ spec }: Workload): PodSpec {
  if (spec?.template.spec === undefined) throw new Error('a workload has a pod');
  return spec.template.spec;
}

export function containerOf(workload: Workload) {
  const [container, ...more] = podOf(workload).containers;
  if (container === undefined || more.length > 0) throw new Error('a pod has one container');
  return container;
}

/** The variables of a container. */
export function environmentOf(workload: Workload): Record<string, string> {
  return Object.fromEntries((containerOf(workload).env ?? []).map(({ name, value = '' }) => [name, value]));
}

interface ComposeService {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period: string;
  readonly [option: string]: unknown;
}

export interface Compose {
  readonly services: Readonly<Record<'latchkey' | 'postgres', ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks: Readonly<Record<string, object>>;
}

export const compose: Compose = parse(readFileSync('deploy/compose.yaml', 'utf8'));
