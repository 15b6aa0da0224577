import { countsText, printRows } from '../../../harness/print.ts';
import { sum } from '../../../harness/statistics.ts';
import { describeFindings, type EventSummary, type Latencies } from './summary.ts';

export function printEvents(summary: EventSummary): void {
  const { changes, revokes, python, kinds } = summary;
  const latencies = ({ count, medianMs, p99Ms, maxMs }: Latencies) =>
    `${count} revokes: median ${medianMs.toFixed(0)} ms, 99th percentile ${p99Ms.toFixed(0)} ms, max ${maxMs.toFixed(0)} ms`;
  printRows([
    ['duration', `${summary.changedSeconds.toFixed(1)} s of changes, ${summary.seconds.toFixed(1)} s in total`],
    [
      'changes',
      `${sum([...changes.values()])}: ${countsText(changes)}; without an answer ${summary.unansweredChanges}`,
    ],
    ['interruptions', countsText(summary.interruptions) || 'none'],
    [
      'events',
      `${summary.events} in the audit trail; ${summary.signatures} requests to ${summary.endpoints} endpoints`,
    ],
    ['requests', kinds.map(({ kind, arrivals, answers }) => `${kind} ${arrivals}: ${countsText(answers)}`).join('\n')],
    ['repeated', `${summary.repeated} requests, with the same id and content`],
    [
      'signatures',
      `${summary.signatures} verified with standardwebhooks and node:crypto; ${
        python === null ? 'none with Python, which is not installed' : `${python.valid} with Python`
      }`,
    ],
    ['readers', `${summary.readers} read ${summary.readEvents} events; ${summary.failedReads} calls failed`],
    ['revoke to arrival', latencies(revokes.calm)],
    [
      'disturbed',
      revokes.disturbed
        .map(({ kind, latencies: those }) => `until 2 s after "${kind}": ${latencies(those)}`)
        .join('\n') || 'none',
    ],
    ['while all is well', `change ${summary.calmChangeMs.toFixed(0)} ms (99th percentile, allowed on top)`],
    ['broken promises', String(summary.findings.length)],
  ]);
  for (const line of describeFindings(summary.findings)) console.log(`  ${line}`);
}
