import { printRows } from '../load/print.ts';
import { median } from '../load/statistics.ts';
import { memoryOf, p99Ends, type SoakRun } from './flatness.ts';

export function print(run: SoakRun): void {
  console.log('minute  resident MB  anonymous MB  descriptors  verify p50, p99 ms  manage p50, p99 ms');
  const [verify, manage] = run.ports;
  for (let minute = 0; minute * 60 < run.seconds; minute += 1) {
    const samples = run.samples.filter(({ seconds }) => Math.floor(seconds / 60) === minute);
    if (samples.length === 0) continue;
    const shown = (field: 'rssMb' | 'anonymousMb' | 'descriptors') =>
      median(samples.map((sample) => sample[field])).toFixed(0);
    const latency = (port = verify) =>
      `${port?.medians[minute]?.toFixed(1) ?? '-'}, ${port?.p99s[minute]?.toFixed(1) ?? '-'}`;
    console.log(
      [
        String(minute + 1).padEnd(6),
        shown('rssMb').padStart(12),
        shown('anonymousMb').padStart(13),
        shown('descriptors').padStart(12),
        latency(verify).padStart(19),
        latency(manage).padStart(19),
      ].join(' '),
    );
  }
  printRows(totals(run));
}

function totals(run: SoakRun): readonly (readonly [string, string])[] {
  const { growthMbPerMinute, stepMb } = memoryOf(run);
  const { before, after, databaseMb } = run;
  return [
    ['duration', `${run.seconds.toFixed(0)} s`],
    ...run.ports.map((port): [string, string] => {
      const { calls, wrong, maxInProgress } = port.sent;
      const { first, last } = p99Ends(port);
      const p99 = `p99 from ${first.toFixed(1)} to ${last.toFixed(1)} ms`;
      return [port.name, `${calls} calls, ${wrong.length} wrong, at most ${maxInProgress} under way; ${p99}`];
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
  ];
}
