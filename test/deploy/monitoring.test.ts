/** The Grafana dashboard and the alerts select metrics and labels that a running service and an edge serve. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { errorTable } from '../../src/domain/errors.ts';
import { makeKey, verdictOn, verifyBody } from '../support/calls.ts';
import { blockOf, sectionsOf } from '../support/documents.ts';
import { extAuthzClient } from '../support/ext-authz.ts';
import { startBuilt, startInstance } from '../support/instance.ts';
import { Scrape, scrape } from '../support/scrape.ts';
import { rest } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { groupingOf, problemsOf, selectorsOf } from './prometheus.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync('deploy/grafana/latchkey.json', 'utf8'));
const panels: readonly Panel[] = dashboard.panels;
const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<'summary' | 'description' | 'documentation', string>>;
}

const rulesFile = 'deploy/prometheus/latchkey.rules.yaml';
const alerts: readonly Alert[] = parse(readFileSync(rulesFile, 'utf8')).groups.flatMap(
  ({ rules }: { rules: readonly Alert[] }) => rules,
);

let service: Scrape;
let edge: Scrape;
/** Both, as Prometheus sees them under one job. */
let served: Scrape;

beforeAll(async () => {
  const instance = await startInstance(
    { DATA_DIR: temporaryDirectory().path, METRICS_PORT: '0', EXT_AUTHZ_PORT: '0' },
    2,
  );
  const running = await startBuilt(
    { METRICS_PORT: '0' },
    { command: `node dist/cli/latchkey.js edge --upstream ${instance.verifyUrl}` },
  );
  const key = await makeKey(instance);
  const body = await verifyBody(key);
  await verdictOn(instance, body);
  await verdictOn(running, body);
  await rest(instance.verifyUrl, null, 'GET', '/v1/authorize');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await rest(instance.verifyUrl, null, 'POST', '/v1/introspect', 'token=junk', form);
  const envoy = extAuthzClient(new URL(instance.extAuthzUrl).host);
  await envoy.check({});
  envoy.close();
  service = await scrape(instance.metricsUrl);
  await instance.stop();
  expect((await rest(running.verifyUrl, null, 'POST', '/v1/verify', { key: key.secret })).status).toBe(503);
  edge = await scrape(running.metricsUrl);
  await running.stop();
  served = new Scrape(`${service.text}${edge.text}`);
});

it.each(targets)('$title, $refId: $expr', ({ expr, legendFormat }) => {
  expect(problemsOf(expr, served)).toEqual([]);
  // A selected job or instance filters every panel.
  for (const { matchers } of selectorsOf(expr)) {
    expect(matchers.slice(0, 2).map(({ label }) => label)).toEqual(['job', 'instance']);
  }
  for (const [, label = ''] of legendFormat.matchAll(/{{(\w+)}}/g)) expect(groupingOf(expr)).toContain(label);
});

it('what selects the routes of verifications includes those of Envoy over gRPC', () => {
  const routes = [...targets, ...alerts]
    .flatMap(({ expr }) => selectorsOf(expr))
    .flatMap(({ matchers }) =>
      matchers.filter(({ label, value }) => label === 'route' && value.includes('/v1/verify')),
    );
  expect(routes.length).toBeGreaterThan(0);
  for (const { value } of routes) expect(value.split('|')).toContain('ext_authz');
});

const isPromtoolMissing = spawnSync('promtool', ['--version']).error !== undefined;
if (isPromtoolMissing)
  console.warn('promtool is not installed: some checks of metrics, alerts and the dashboard are skipped');

it.skipIf(isPromtoolMissing)('all metrics, and every expression as PromQL, are what Prometheus expects', () => {
  const rules = targets.map(({ expr }, i) => ({
    record: `expression_${i}`,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*'),
  }));
  const file = join(temporaryDirectory().path, 'rules.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  const checkRules = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
  expect(`${checkRules.stdout}${checkRules.stderr}`).toContain(`SUCCESS: ${rules.length} rules found`);
  for (const { text } of [service, edge]) {
    const checkMetrics = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(`${checkMetrics.stdout}${checkMetrics.stderr}`).toBe('');
  }
});

it.each(alerts)('$alert: $expr', ({ expr, annotations }) => {
  expect(problemsOf(expr, served, new Set(Object.keys(errorTable)))).toEqual([]);
  for (const [, label = ''] of `${annotations.summary}${annotations.description}`.matchAll(/\$labels\.(\w+)/g)) {
    const grouping = groupingOf(expr);
    if (grouping.length > 0) expect(grouping).toContain(label);
    else expect(['instance', ...selectorsOf(expr).flatMap(({ metric }) => labelsOf(metric))]).toContain(label);
  }
  const [document = '', anchor = ''] = annotations.documentation.split('#');
  expect(existsSync(document)).toBe(true);
  const titles = sectionsOf(document).map(({ title }) => title.toLowerCase().replaceAll(' ', '-'));
  expect(titles).toContain(anchor);
});

function labelsOf(metric: string): string[] {
  return served.samples.filter(({ name }) => name === metric).flatMap(({ labels }) => Object.keys(labels));
}

it.skipIf(isPromtoolMissing)('each alert fires alone at its fault, and none while all is well', () => {
  const file = 'test/deploy/latchkey.rules.test.yaml';
  const tested = parse(readFileSync(file, 'utf8')).tests.map(({ name }: { name: string }) => name);
  expect(tested).toEqual(['healthy', ...alerts.map(({ alert }) => alert)]);
  const test = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  expect(`${test.stdout}${test.stderr}`).toMatch(/^Unit Testing: .*\n\s*SUCCESS\s*$/);
  const check = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' });
  expect(check.stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
});

it.skipIf(isPromtoolMissing)(
  'the documented configuration of Prometheus is one, with a job that the alerts select',
  () => {
    const { path } = temporaryDirectory();
    const configuration = blockOf('docs/start/deploying.md', 'Monitoring').replaceAll('/etc/prometheus', path);
    writeFileSync(join(path, 'metrics_token'), 'a token');
    copyFileSync(rulesFile, join(path, 'latchkey.rules.yaml'));
    writeFileSync(join(path, 'prometheus.yaml'), configuration);
    const check = spawnSync('promtool', ['check', 'config', join(path, 'prometheus.yaml')], { encoding: 'utf8' });
    expect(`${check.stdout}${check.stderr}`).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(check.status).toBe(0);
    const [{ job_name: job }] = parse(configuration).scrape_configs;
    const jobs = alerts.flatMap(({ expr }) => selectorsOf(expr).flatMap(({ matchers }) => matchers));
    for (const { value } of jobs.filter(({ label }) => label === 'job'))
      expect(job).toMatch(new RegExp(`^(?:${value})$`));
  },
);

it('every metric of ours is on the dashboard', () => {
  const selected = targets.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric));
  const family = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');
  const ours = new Set(served.samples.map(({ name }) => family(name)).filter((name) => name.startsWith('latchkey_')));
  expect([...ours].filter((name) => !selected.map(family).includes(name))).toEqual([]);
});

it('the variables select a metric that is always served, and no panel covers another', () => {
  for (const { definition } of dashboard.templating.list.slice(1)) {
    const [, metric = ''] = /^label_values\((\w+)/.exec(definition) ?? [];
    expect(served.value(metric)).toBeDefined();
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
