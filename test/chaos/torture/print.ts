import { countsText, printRows } from '../../harness/print.ts';
import { sum } from '../../harness/statistics.ts';
import { describe } from '../../proof/history/violation.ts';
import { type Outages, type Summary, total } from './summary.ts';

const shownViolations = 10;

export function print(summary: Summary): void {
  const ports = [...summary.ports];
  const unavailable = sum(ports.map(([, counts]) => counts.unavailable));
  const unanswered = sum(ports.map(([, counts]) => counts.unanswered));
  const rows: readonly (readonly [string, string])[] = [
    ['duration', `${summary.seconds.toFixed(1)} s`],
    [
      'changes',
      `${total(summary.changes)}: ${countsText(summary.changes)}; without an answer ${summary.unansweredChanges}`,
    ],
    ['verdicts', `${summary.verifications}: ${countsText(summary.codes)}`],
    ['503', `${unavailable}; no answer at all: ${unanswered}`],
    ['verifications', ports.map(([at, { sent }]) => `${at} ${sent}`).join(', ')],
    ['latency', `median ${summary.medianMs.toFixed(1)} ms, 99th percentile ${summary.p99Ms.toFixed(1)} ms`],
    ['SIGSTOPs', summary.stops.map(stopLine).join('\n') || 'none'],
    ...(summary.outages === null ? [] : outageRows(summary.outages)),
    [
      'close to a change',
      `${summary.close}, ${summary.telling} of them with an answer that the state before had not given`,
    ],
    ['violations', String(summary.violations.length)],
    [
      'receipts',
      `${summary.receipts.count}, ${summary.receipts.revokes} of revocations; contradicted by a use: ${summary.receipts.contradictions.length}`,
    ],
  ];
  printRows(rows);
  for (const violation of summary.violations.slice(0, shownViolations)) console.log(`\n${describe(violation)}`);
}

function outageRows(outages: Outages): (readonly [string, string])[] {
  const { faults, unansweredCreations, calls, recoveries, calmVerificationMs, calmChangeMs } = outages;
  const most = ({ ms, promisedMs }: (typeof calls)[number]) =>
    `${ms.toFixed(0)} ms at most (promised: ${promisedMs} ms)`;
  return [
    ['faults', countsText(faults)],
    ['unanswered creates', String(unansweredCreations)],
    ...calls.map((call) => [call.name, most(call)] as const),
    [
      'while all is well',
      `verification ${calmVerificationMs.toFixed(0)} ms, change ${calmChangeMs.toFixed(0)} ms (99th percentile, allowed on top)`,
    ],
    ['recovery', recoveries.map((recovery) => `${recovery.name}: ${most(recovery)}`).join('\n')],
  ];
}

function stopLine({ process, stopped, continued, heldUp, changesMeanwhile }: Summary['stops'][number]): string {
  const seconds = ((continued - stopped) / 1000).toFixed(1);
  return `${process} ${seconds} s (${changesMeanwhile} changes meanwhile, ${heldUp} verifications held up)`;
}
