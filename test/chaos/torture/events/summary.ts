/** The result of a run of events: what was found, and how soon revokes arrived. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countNames, percentile, sum } from '../../../harness/statistics.ts';
import { pythonWith, runPython } from '../../../support/python.ts';
import { temporaryDirectory } from '../../../support/temporary-database.ts';
import { checkEndpoint, checkLog, checkReader, type Finding, type RevokeLatency, revokeLatencies } from './checker.ts';
import type { Endpoint } from './endpoints.ts';
import type { EventRun, Interruption } from './run.ts';

export type EventSummary = Awaited<ReturnType<typeof summariseEvents>>;

export async function summariseEvents(run: EventRun) {
  const { teams, interruptions, calls, strange, seconds, changedSeconds } = run;
  const endpoints = teams.flatMap((team) => team.endpoints);
  const findings = teams.flatMap((team) => [
    ...checkLog(team.ledger, team.log),
    ...team.endpoints.flatMap((endpoint) => checkEndpoint(endpoint, team.log, team.due)),
    ...team.readers.flatMap((reader) => checkReader(reader, team.log, team.due)),
  ]);
  const revokes = teams.flatMap(({ changes, log, endpoints: own }) =>
    own.filter(({ kind }) => kind === 'healthy').flatMap((healthy) => revokeLatencies(changes, log, healthy)),
  );
  const changes = teams.flatMap((team) => team.changes);
  const readers = teams.flatMap((team) => team.readers);
  return {
    seconds,
    changedSeconds,
    changes: countNames(changes.filter(({ answer }) => answer !== null).map(({ name }) => name)),
    unansweredChanges: changes.filter(({ answer }) => answer === null).length,
    events: sum(teams.map(({ log }) => log.length)),
    interruptions: countNames(interruptions.map(({ kind }) => kind)),
    endpoints: endpoints.length,
    kinds: [...new Set(endpoints.map(({ kind }) => kind))].map((kind) => arrivalsAt(kind, endpoints)),
    repeated: sum(endpoints.map(({ arrivals }) => arrivals.length - new Set(arrivals.map(({ id }) => id)).size)),
    revokes: revokeGroups(revokes, interruptions),
    readers: readers.length,
    readEvents: sum(readers.map(({ events }) => events.length)),
    failedReads: sum(readers.map((reader) => reader.calls.failed)),
    signatures: sum(endpoints.map(({ arrivals }) => arrivals.length)),
    python: await verifyWithPython(endpoints),
    /** The 99th percentile of changes without an interruption: what this machine adds to the promised times. */
    calmChangeMs: percentile(
      calls
        .filter((call) => !interruptions.some((one) => overlaps(call, one)))
        .map((call) => call.ended - call.started),
      0.99,
    ),
    findings,
    strange,
  };
}

function arrivalsAt(kind: string, endpoints: readonly Pick<Endpoint, 'kind' | 'arrivals' | 'receiver'>[]) {
  const those = endpoints.filter((endpoint) => endpoint.kind === kind);
  const answers = new Map<string, number>();
  for (const { receiver } of those) {
    for (const [answer, count] of receiver.answers) {
      answers.set(String(answer), (answers.get(String(answer)) ?? 0) + count);
    }
  }
  return { kind, arrivals: sum(those.map(({ arrivals }) => arrivals.length)), answers };
}

/** How long an instance that takes over may be busy with what has waited. */
const catchUpMs = 2000;

/**
 * Revokes that an interruption may have delayed are stated separately, by its kind: when the instance that delivers is
 * killed, another one takes over after 1.2 s.
 */
function revokeGroups(revokes: readonly RevokeLatency[], interruptions: readonly Interruption[]) {
  const isDuring = ({ answered, arrived }: RevokeLatency, { began, returned }: Interruption) =>
    answered < returned + catchUpMs && arrived > began;
  const calm = revokes.filter((one) => !interruptions.some((interruption) => isDuring(one, interruption)));
  const disturbed = [...new Set(interruptions.map(({ kind }) => kind))].map((kind) => {
    const those = interruptions.filter((interruption) => interruption.kind === kind);
    return { kind, latencies: latenciesOf(revokes.filter((one) => those.some((other) => isDuring(one, other)))) };
  });
  return { calm: latenciesOf(calm), disturbed };
}

export type Latencies = ReturnType<typeof latenciesOf>;

function latenciesOf(revokes: readonly RevokeLatency[]) {
  const times = revokes.map(({ ms }) => ms);
  return {
    count: times.length,
    medianMs: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    maxMs: percentile(times, 1),
  };
}

function overlaps(call: { readonly started: number; readonly ended: number }, { began, returned }: Interruption) {
  return call.started < returned + catchUpMs && call.ended > began;
}

const pythonSample = 500;

/** Returns null if there is no Python. Only for secrets: its standard library has no Ed25519. */
async function verifyWithPython(endpoints: readonly Pick<Endpoint, 'receiver'>[]) {
  const python = await pythonWith('hmac');
  if (python === undefined) return null;
  const all = endpoints
    .flatMap(({ receiver }) => receiver.requests)
    .filter(({ secrets }) => secrets.every((secret) => secret.startsWith('whsec_')));
  const step = Math.max(1, Math.floor(all.length / pythonSample));
  const { path, remove } = temporaryDirectory();
  const file = join(path, 'requests.ndjson');
  writeFileSync(
    file,
    all
      .filter((_, i) => i % step === 0)
      .map((request) => `${JSON.stringify(request)}\n`)
      .join(''),
  );
  const script = join(import.meta.dirname, 'verify_signatures.py');
  const printed = await runPython(python, [script, file]).finally(remove);
  const result: { readonly valid: number; readonly invalid: readonly string[] } = JSON.parse(printed);
  return result;
}

interface EventDemands {
  readonly changes: number;
  readonly interruptions: number;
  /** Bounds the time from the answer of a revoke to the arrival of its event. Null: not judged, on busy machines. */
  readonly revokeMs: number | null;
}

/** Returns why the run failed or proves nothing; empty if the promises were kept. */
export function failuresOfEvents(summary: EventSummary, demands: EventDemands): string[] {
  const { findings, strange, python, revokes, calmChangeMs } = summary;
  const failures = strange.map((answer) => `unexpected answer: ${answer}`);
  if (findings.length > 0) failures.push(`${findings.length} broken promises`);
  const demand = (what: string, had: number, wanted: number) => {
    if (had < wanted) failures.push(`too easy: ${had} ${what}, and ${wanted} were wanted`);
  };
  demand('changes', sum([...summary.changes.values()]), demands.changes);
  demand('interruptions', sum([...summary.interruptions.values()]), demands.interruptions);
  demand('repeated events', summary.repeated, 1);
  if (demands.revokeMs !== null) demand('revokes', revokes.calm.count, 1);
  for (const { kind, answers } of summary.kinds) {
    const troubles = [...answers.keys()].filter((answer) => !answer.startsWith('20'));
    if (['fails', 'hangs', 'gone', 'breaks', 'closes'].includes(kind))
      demand(`troubles of "${kind}"`, troubles.length, 1);
  }
  if (python !== null && python.invalid.length > 0) failures.push(`Python rejects ${python.invalid.length} signatures`);
  const { revokeMs } = demands;
  if (revokeMs !== null && revokes.calm.maxMs > revokeMs + calmChangeMs) {
    const busy = `busy is ${calmChangeMs.toFixed(0)} ms`;
    failures.push(
      `a revoke arrived after ${revokes.calm.maxMs.toFixed(0)} ms; promised are ${revokeMs} ms, and ${busy}`,
    );
  }
  return failures;
}

export function describeFindings(findings: readonly Finding[], shown = 20): string[] {
  return findings.slice(0, shown).map(({ at, problem }) => `${at}: ${problem}`);
}
