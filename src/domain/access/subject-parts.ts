/** Divides the people who have access to a team into parts that fit into a call of `importMembers`. */
import { limits } from '../limits.ts';

/** A call has at most 64 kB, with its query. */
const maxPartBytes = 60_000;
const encoder = new TextEncoder();

export interface SubjectPart {
  readonly subjects: string[];
  readonly after: string | null;
  readonly upTo: string | null;
}

/** Divides the subjects in the order of their code units, in which the service compares them. */
export function subjectParts(subjects: readonly string[]): SubjectPart[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const subject of [...subjects].sort((a, b) => (a < b ? -1 : 1))) {
    const size = encoder.encode(JSON.stringify(subject)).length + 1;
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
