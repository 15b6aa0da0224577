/** What expressions of Prometheus select, compared with what a running service and edge serve. */
import type { Scrape } from '../support/scrape.ts';

/** Prometheus itself adds these labels to what it scrapes. */
const addedLabels = new Set(['job', 'instance']);

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** Returns the selectors `metric{label="value"}` of an expression, all of which have braces. */
export function selectorsOf(expression: string): readonly Selector[] {
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
export function groupingOf(expression: string): readonly string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
}

/** Returns the metrics of an expression that have no braces, which `selectorsOf` would miss. */
function metricsWithoutBraces(expression: string): string[] {
  return [...expression.matchAll(/\b(?:latchkey|nodejs|process)_\w+\b(?!\{)/g)].map(([metric]) => metric);
}

/** Returns the problems of an expression, given the scraped metrics. `rare` has values that need a fault to occur. */
export function problemsOf(expression: string, scraped: Scrape, rare: ReadonlySet<string> = new Set()): string[] {
  const selectors = selectorsOf(expression);
  const problems = metricsWithoutBraces(expression).map((metric) => `${metric} has no braces`);
  if (selectors.length === 0) problems.push('selects no metric');
  for (const { metric, matchers } of selectors) {
    // Prometheus itself adds this metric.
    if (metric === 'up') continue;
    const samples = scraped.samples.filter(({ name }) => name === metric);
    if (samples.length === 0) problems.push(`${metric} is not served`);
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    for (const label of [...groupingOf(expression), ...matchers.map((matcher) => matcher.label)]) {
      if (!addedLabels.has(label) && !labels.has(label)) problems.push(`${metric} has no label ${label}`);
    }
    for (const { label, operator, value } of matchers) {
      if (addedLabels.has(label)) continue;
      // Also of an excluded value: a misspelled one would exclude nothing.
      const servedValues = scraped.labelValues(label, metric);
      for (const one of operator.endsWith('~') ? value.split('|') : [value]) {
        if (!servedValues.has(one) && !rare.has(one)) problems.push(`${metric} has no ${label}="${one}"`);
      }
    }
  }
  return problems;
}
