/** Imports lines in batches, each in one call, and reports the outcome of each line. */
import { type FieldError, unlistedFields } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { type PolicyViolation, violationText } from '../domain/policy/policy-violation.ts';
import type { ImportLine } from './lines.ts';

export type ImportedKey = Readonly<Record<string, unknown>>;

export interface ImportResult {
  readonly outcome: 'IMPORTED' | 'EXISTED' | 'IN_USE' | 'PREFIX_TAKEN' | 'LIMIT_REACHED' | 'POLICY_VIOLATED';
  readonly apiKey: { readonly id: string; readonly prefix: string } | null;
  readonly policyViolations: readonly PolicyViolation[];
}

export interface ImportReportEntry {
  readonly line: number;
  /** For REJECTED and POLICY_VIOLATED, `problems` says why. */
  readonly outcome: ImportResult['outcome'] | 'REJECTED';
  readonly id?: string;
  readonly prefix?: string;
  readonly problems?: readonly string[];
}

export interface ImportBatch {
  readonly unreadable: readonly ImportReportEntry[];
  readonly keys: readonly { readonly line: number; readonly key: ImportedKey }[];
}

/** The service limits the number of keys, the cost, and the size of the body. */
const batchBytes = 40 * 1024;
const encoder = new TextEncoder();

/** @param env the environment of lines that have no field `env` */
export async function* batchesOf(
  lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
  env: string | undefined,
): AsyncIterable<ImportBatch> {
  let [unreadable, keys, bytes]: [ImportReportEntry[], ImportBatch['keys'][number][], number] = [[], [], 0];
  for await (const { line, content } of lines) {
    const key = 'problem' in content ? null : { env, ...content.key };
    const size = key === null ? 0 : encoder.encode(JSON.stringify(key)).length + 1;
    if (unreadable.length + keys.length === limits.importedKeysWithViolations || bytes + size > batchBytes) {
      yield { unreadable, keys };
      [unreadable, keys, bytes] = [[], [], 0];
    }
    if ('problem' in content) unreadable.push(rejectedLine(line, [content.problem]));
    else if (key !== null) keys.push({ line, key });
    bytes += size;
  }
  yield { unreadable, keys };
}

interface Service {
  readonly send: (keys: readonly ImportedKey[]) => Promise<readonly ImportResult[]>;
  readonly fieldsOf: (error: unknown) => readonly FieldError[];
}

/** Imports a batch. Returns the outcome of each line, in order. */
export async function importBatch(
  { unreadable, keys }: ImportBatch,
  { send, fieldsOf }: Service,
): Promise<ImportReportEntry[]> {
  const entries: ImportReportEntry[] = [...unreadable];
  let rest = keys;
  while (rest.length > 0) {
    try {
      const results = await send(rest.map(({ key }) => key));
      entries.push(...results.map((result, i) => entryOf(rest[i]?.line ?? 0, result)));
      break;
    } catch (error) {
      // One invalid field rejects the whole call, so the call is repeated without the invalid lines.
      const problems = problemsByKey(fieldsOf(error));
      if (problems === null) throw error;
      entries.push(
        ...rest.flatMap(({ line }, i) => (problems.has(i) ? [rejectedLine(line, problems.get(i) ?? [])] : [])),
      );
      rest = rest.filter((_, i) => !problems.has(i));
    }
  }
  return entries.sort((a, b) => a.line - b.line);
}

/** Groups field errors by the index of the key: 3 for `keys[3].name`. Null if there are none, or if one has no index. */
export function problemsByKey(fields: readonly FieldError[]): Map<number, string[]> | null {
  const problems = new Map<number, string[]>();
  for (const { field, message } of fields) {
    // This entry stands for unlisted errors. The next response lists them.
    if (field === unlistedFields) continue;
    const [, index, within] = /^keys\[(\d+)\](?:\.(.+))?$/.exec(field) ?? [];
    if (index === undefined) return null;
    const text = within === undefined ? message : `${within}: ${message}`;
    problems.set(Number(index), [...(problems.get(Number(index)) ?? []), text]);
  }
  return problems.size === 0 ? null : problems;
}

function entryOf(line: number, { outcome, apiKey, policyViolations }: ImportResult): ImportReportEntry {
  if (policyViolations.length > 0) return { line, outcome, problems: policyViolations.map(violationText) };
  return apiKey === null ? { line, outcome } : { line, outcome, id: apiKey.id, prefix: apiKey.prefix };
}

function rejectedLine(line: number, problems: readonly string[]): ImportReportEntry {
  return { line, outcome: 'REJECTED', problems };
}

const explanations: Readonly<Partial<Record<ImportReportEntry['outcome'], string>>> = {
  IN_USE: 'the key is in use by another team; ask the operator whose it is',
  PREFIX_TAKEN: 'another key of the team has this prefix',
  LIMIT_REACHED: 'the team has the maximum number of keys (MAX_KEYS_PER_TEAM)',
};

export function reasonOf({ outcome, problems }: ImportReportEntry): string {
  return problems?.join('; ') ?? explanations[outcome] ?? outcome;
}

/** A line that was rejected, or many that were for the same reason. */
export interface RejectedLines {
  readonly reason: string;
  /** `4`, or `4, 5, 6, 7, 8, …`. */
  readonly lines: string;
  readonly count: number;
}

/** With more lines, their reason is told once. */
const listedLines = 5;

/** Groups the rejected lines by their reason, in the order of their first lines. */
export class Rejections {
  readonly #byReason = new Map<string, { readonly lines: number[]; count: number }>();

  add(entry: ImportReportEntry): void {
    const reason = reasonOf(entry);
    const group = this.#byReason.get(reason) ?? { lines: [], count: 0 };
    this.#byReason.set(reason, group);
    group.count += 1;
    if (group.lines.length < listedLines) group.lines.push(entry.line);
  }

  get all(): readonly RejectedLines[] {
    return [...this.#byReason].flatMap(([reason, { lines, count }]): RejectedLines[] =>
      count > listedLines
        ? [{ reason, lines: `${lines.join(', ')}, …`, count }]
        : lines.map((line) => ({ reason, lines: `${line}`, count: 1 })),
    );
  }
}
