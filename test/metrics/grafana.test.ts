/** The Grafana dashboard asks for what `/metrics` of a running service has, and for nothing else. */
import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKey, verdictOn, verifyBody } from '../support/calls.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { type Instance, killInstances, startInstance } from '../support/instance.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { rest } from '../support/service.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly Target[];
}

const dashboard = JSON.parse(readFileSync('src/metrics/grafana.json', 'utf8'));
const panels: readonly Panel[] = dashboard.panels;
const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

/** What Prometheus itself adds to whatever it scrapes. */
const added = new Set(['job', 'instance']);

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

interface Query {
  readonly errors: number;
  readonly selectors: readonly Selector[];
  /** Labels that the result is grouped by. */
  readonly grouping: readonly string[];
}

/** With Prometheus' own grammar; Grafana's variables stand for a value each. */
function parse(expression: string): Query {
  const text = expression.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*');
  let errors = 0;
  const selectors: Selector[] = [];
  const grouping: string[] = [];
  parser.parse(text).iterate({
    enter: ({ node, type }) => {
      const textOf = (found: typeof node | null | undefined) => (found == null ? '' : text.slice(found.from, found.to));
      if (type.isError) errors += 1;
      if (node.name === 'GroupingLabels') grouping.push(...node.getChildren('LabelName').map(textOf));
      if (node.name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      selectors.push({
        metric: textOf(node.getChild('Identifier')),
        matchers: matchers.map((matcher) => ({
          label: textOf(matcher.getChild('LabelName')),
          operator: textOf(matcher.getChild('MatchOp')),
          value: JSON.parse(textOf(matcher.getChild('StringLiteral'))),
        })),
      });
    },
  });
  return { errors, selectors, grouping };
}

let database: TemporaryDatabase;
let served: Scrape;

beforeAll(async () => {
  database = await temporaryDatabase('sqlite');
  const port = await freePort();
  const instance: Instance = await startInstance({ DATA_DIR: database.directory, METRICS_PORT: String(port) }, 2);
  const key = await makeKey(instance);
  await verdictOn(instance, await verifyBody(key));
  await rest(instance.verifyUrl, null, 'GET', '/v1/authorize');
  served = await scrape(`http://127.0.0.1:${port}`);
  await instance.stop();
});
afterAll(async () => {
  await killInstances();
  await database.remove();
});

/** What is wrong with an expression, given what is served. */
function problemsOf(expression: string): string[] {
  const { errors, selectors, grouping } = parse(expression);
  const problems = errors > 0 ? ['is no PromQL'] : [];
  if (selectors.length === 0) problems.push('asks for no metric');
  for (const { metric, matchers } of selectors) {
    const samples = served.samples.filter(({ name }) => name === metric);
    if (samples.length === 0) problems.push(`${metric} is not served`);
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    for (const label of [...grouping, ...matchers.map((matcher) => matcher.label)]) {
      if (!added.has(label) && !labels.has(label)) problems.push(`${metric} has no label ${label}`);
    }
    for (const { label, operator, value } of matchers) {
      if (added.has(label)) continue;
      // Each of the alternatives is there; what is excluded could otherwise be a slip of the pen as well.
      const wanted = operator.endsWith('~') ? value.split('|') : [value];
      const there = served.labelValues(label, metric);
      for (const one of wanted) if (!there.has(one)) problems.push(`${metric} has no ${label}="${one}"`);
    }
  }
  return problems;
}

it.each(targets)('$title, $refId: $expr', ({ expr, legendFormat }) => {
  expect(problemsOf(expr)).toEqual([]);
  const { selectors, grouping } = parse(expr);
  // A selected job or instance filters every panel.
  for (const { matchers } of selectors) {
    expect(matchers.slice(0, 2).map(({ label }) => label)).toEqual(['job', 'instance']);
  }
  for (const [, label = ''] of legendFormat.matchAll(/{{(\w+)}}/g)) expect(grouping).toContain(label);
});

it.each([
  ['sum(rate(latchkey_verdict_total[1m]))', 'latchkey_verdict_total is not served'],
  ['sum by (kode) (latchkey_verdicts_total)', 'latchkey_verdicts_total has no label kode'],
  ['latchkey_verdicts_total{code="OK"}', 'latchkey_verdicts_total has no code="OK"'],
  ['sum(rate(latchkey_verdicts_total[1m])', 'is no PromQL'],
])('a mistake is reported: %s', (expression, problem) => {
  expect(problemsOf(expression)).toContain(problem);
});

it('every metric of ours is on the dashboard', () => {
  const asked = targets.flatMap(({ expr }) => parse(expr).selectors.map(({ metric }) => metric));
  const family = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');
  const ours = new Set(served.samples.map(({ name }) => family(name)).filter((name) => name.startsWith('latchkey_')));
  expect([...ours].filter((name) => !asked.map(family).includes(name))).toEqual([]);
});

it('the variables ask for a metric that is always there, and no panel covers another', () => {
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
