import { countsText, printRows } from '../../harness/print.ts';
import { median } from '../../harness/statistics.ts';
import type { Report } from './run.ts';

const shownViolations = 10;

export function printReport(store: string, report: Report, seconds: number): void {
  const { happened, didNotHappen, violations } = report;
  printRows([
    ['store', store],
    ['rounds', `${report.rounds} in ${seconds.toFixed(0)} s`],
    ['kills', countsText(report.kills)],
    ['keys', String(report.keys)],
    ['acknowledged', `${report.acknowledged} operations`],
    ['without an answer', `${happened + didNotHappen}, of which ${happened} had happened and ${didNotHappen} not`],
    ['checks', String(report.checks)],
    ['start to ready', times(report.startUpsMs)],
    ['ready again', times(report.recoveriesMs)],
    ['violations', String(violations.length)],
  ]);
  for (const violation of violations.slice(0, shownViolations)) console.log(`\n${violation.slice(0, 2000)}`);
  console.log('');
}

function times(ms: readonly number[]): string {
  if (ms.length === 0) return 'none';
  const seconds = (value: number) => `${(value / 1000).toFixed(2)} s`;
  return `${ms.length} times, median ${seconds(median(ms))}, worst ${seconds(Math.max(...ms))}`;
}
