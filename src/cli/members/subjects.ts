/** Reads the list of people who have access, and divides it into parts that fit into a call. */
import { limits } from '../../domain/limits.ts';
import { fileProblem } from '../../lib/file-problem.ts';
import { Failure, usageFailure } from '../failure.ts';
import { fileLines } from '../file-lines.ts';
import { openInput } from '../input-file.ts';

const maxLineBytes = 4096;
/** A call has at most 64 kB, with its query. */
const maxPartBytes = 60_000;

export interface SubjectPart {
  readonly subjects: string[];
  readonly after: string | null;
  readonly upTo: string | null;
}

/** Returns each subject once. Rejects an empty list, with which all members would have left. */
export async function readSubjects(file: string): Promise<string[]> {
  const subjects = new Set<string>();
  try {
    for await (const { text } of fileLines(openInput(file).stream, maxLineBytes)) if (text !== '') subjects.add(text);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('FAILED', `${file}: ${fileProblem(error)}`);
  }
  if (subjects.size === 0)
    throw usageFailure('NO_MEMBERS', `${file} has no subjects: with it, everyone would have left`);
  return [...subjects];
}

/** Divides the subjects in the order of their code units, in which the service compares them. */
export function subjectParts(subjects: readonly string[]): SubjectPart[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const subject of [...subjects].sort((a, b) => (a < b ? -1 : 1))) {
    const size = Buffer.byteLength(JSON.stringify(subject)) + 1;
    const last = parts.at(-1);
    if (last === undefined || bytes + size > maxPartBytes || last.length === limits.importedMembers) {
      parts.push([subject]);
      bytes = size;
    } else {
      last.push(subject);
      bytes += size;
    }
  }
  return parts.map((part, i) => ({
    subjects: part,
    after: parts[i - 1]?.at(-1) ?? null,
    upTo: i === parts.length - 1 ? null : (part.at(-1) ?? null),
  }));
}
