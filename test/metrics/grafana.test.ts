/** The Grafana dashboard selects metrics and labels that `/metrics` of a running service has. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { makeKey, verdictOn, verifyBody } from '../support/calls.ts';
import { startInstance } from '../support/instance.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { rest } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync('src/metrics/grafana.json', 'utf8'));
const panels: readonly Panel[] = dashboard.panels;
const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

/** Prometheus itself adds these labels to what it scrapes. */
const addedLabels = new Set(['job', 'instance']);

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** Returns the selectors `metric{label="value"}` of an expression, all of which have braces. */
function selectorsOf(expression: string): readonly Selector[] {
  return [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => ({
    metric,
    matchers: [...matchers.matchAll(/(\w+)([=!]~|!?=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value,
    })),
  }));
}

/** Returns the labels that the result is grouped by. */
function groupingOf(expression: string): readonly string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
}

let served: Scrape;

beforeAll(async () => {
  const instance = await startInstance({ DATA_DIR: temporaryDirectory().path, METRICS_PORT: '0' }, 2);
  const key = await makeKey(instance);
  await verdictOn(instance, await verifyBody(key));
  await rest(instance.verifyUrl, null, 'GET', '/v1/authorize');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await rest(instance.verifyUrl, null, 'POST', '/v1/introspect', 'token=junk', form);
  served = await scrape(instance.metricsUrl);
  await instance.stop();
});

/** Returns the problems of an expression, given the served metrics. */
function problemsOf(expression: string): string[] {
  const selectors = selectorsOf(expression);
  const problems = selectors.length === 0 ? ['selects no metric'] : [];
  for (const { metric, matchers } of selectors) {
    const samples = served.samples.filter(({ name }) => name === metric);
    if (samples.length === 0) problems.push(`${metric} is not served`);
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    for (const label of [...groupingOf(expression), ...matchers.map((matcher) => matcher.label)]) {
      if (!addedLabels.has(label) && !labels.has(label)) problems.push(`${metric} has no label ${label}`);
    }
    for (const { label, operator, value } of matchers) {
      if (addedLabels.has(label)) continue;
      // Also of an excluded value: a misspelled one would exclude nothing.
      const servedValues = served.labelValues(label, metric);
      for (const one of operator.endsWith('~') ? value.split('|') : [value]) {
        if (!servedValues.has(one)) problems.push(`${metric} has no ${label}="${one}"`);
      }
    }
  }
  return problems;
}

it.each(targets)('$title, $refId: $expr', ({ expr, legendFormat }) => {
  expect(problemsOf(expr)).toEqual([]);
  // A selected job or instance filters every panel.
  for (const { matchers } of selectorsOf(expr)) {
    expect(matchers.slice(0, 2).map(({ label }) => label)).toEqual(['job', 'instance']);
  }
  for (const [, label = ''] of legendFormat.matchAll(/{{(\w+)}}/g)) expect(groupingOf(expr)).toContain(label);
});

const isPromtoolMissing = spawnSync('promtool', ['--version']).error !== undefined;
if (isPromtoolMissing)
  console.warn('promtool is not installed: some checks of metrics and of the dashboard are skipped');

it.skipIf(isPromtoolMissing)('all metrics, and every expression as PromQL, are what Prometheus expects', () => {
  const rules = targets.map(({ expr }, i) => ({
    record: `expression_${i}`,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*'),
  }));
  const file = join(temporaryDirectory().path, 'rules.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  const checkRules = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
  expect(`${checkRules.stdout}${checkRules.stderr}`).toContain(`SUCCESS: ${rules.length} rules found`);
  const checkMetrics = spawnSync('promtool', ['check', 'metrics'], { input: served.text, encoding: 'utf8' });
  expect(`${checkMetrics.stdout}${checkMetrics.stderr}`).toBe('');
});

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
