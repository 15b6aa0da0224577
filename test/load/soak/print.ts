import { printRows } from '../../harness/print.ts';
import { median } from '../../harness/statistics.ts';
import { memoryOf, p99Ends, type SoakRun } from './flatness.ts';

export function print(run: SoakRun): void {
  const { growthMbPerMinute, stepMb } = memoryOf(run);
  const { before, after, databaseMb } = run;
  console.table(
    Array.from({ length: Math.max(1, Math.round(run.seconds / 60)) }, (_, minute) => {
      const samples = run.samples.filter(({ seconds }) => Math.floor(seconds / 60) === minute);
      const middle = (field: 'rssMb' | 'anonymousMb' | 'descriptors') =>
        Math.round(median(samples.map((sample) => sample[field])));
      const latencies = run.ports.map(({ name, medians, p99s }) => [
        `${name} p50, p99 ms`,
        `${medians[minute]?.toFixed(1) ?? '-'}, ${p99s[minute]?.toFixed(1) ?? '-'}`,
      ]);
      return {
        'resident MB': middle('rssMb'),
        'anonymous MB': middle('anonymousMb'),
        descriptors: middle('descriptors'),
        ...Object.fromEntries(latencies),
      };
    }),
  );
  printRows([
    ['duration', `${run.seconds.toFixed(0)} s`],
    ...run.ports.map((port): [string, string] => {
      const { first, last } = p99Ends(port);
      const p99 = `p99 from ${first.toFixed(1)} to ${last.toFixed(1)} ms`;
      return [
        port.name,
        `${port.calls} calls, ${port.wrong.length} wrong, at most ${port.maxInProgress} under way; ${p99}`,
      ];
    }),
    [
      'anonymous memory',
      `${growthMbPerMinute.toFixed(2)} MB a minute in the second half, last quarter ${stepMb.toFixed(1)} MB`,
    ],
    [
      'descriptors',
      `${before.descriptors} before, ${after.descriptors} after; threads ${before.threads}, ${after.threads}`,
    ],
    ['database', `${databaseMb.before.toFixed(1)} MB before, ${databaseMb.after.toFixed(1)} MB after`],
  ]);
}
