import type { Report } from './run.ts';

const shownViolations = 10;

export function printReport(store: string, report: Report, seconds: number): void {
  const rows: readonly (readonly [string, string])[] = [
    ['store', store],
    ['rounds', `${report.rounds} in ${seconds.toFixed(0)} s`],
    ['kills', [...report.kills].map(([kind, count]) => `${kind} ${count}`).join('; ')],
    ['keys', String(report.keys)],
    ['acknowledged', `${report.acknowledged} operations`],
    [
      'without an answer',
      `${report.happened + report.didNotHappen}, of which ${report.happened} had happened and ${report.didNotHappen} not`,
    ],
    ['checks', String(report.checks)],
    ['start to ready', times(report.startUpsMs)],
    ['ready again', times(report.recoveriesMs)],
    ['violations', String(report.violations.length)],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(18)} ${value}`);
  for (const violation of report.violations.slice(0, shownViolations)) console.log(`\n${violation.slice(0, 2000)}`);
  console.log('');
}

function times(ms: readonly number[]): string {
  if (ms.length === 0) return 'none';
  const sorted = [...ms].sort((a, b) => a - b);
  const shown = (value: number | undefined) => `${((value ?? Number.NaN) / 1000).toFixed(2)} s`;
  return `${sorted.length} times, median ${shown(sorted[sorted.length >> 1])}, worst ${shown(sorted.at(-1))}`;
}
