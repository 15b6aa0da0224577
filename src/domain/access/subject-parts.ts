/** Divides the people who have access to a team into parts that fit into a call of `importMembers`. */
import { limits } from '../limits.ts';
import { personOf } from './person.ts';

export const tooManyMembers = `a team has at most ${limits.members} members`;

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
  for (const subject of [...new Set(subjects.map(personOf))].sort((a, b) => (a < b ? -1 : 1))) {
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

interface Progress {
  readonly added: number;
  readonly left: number;
  readonly hasMore: boolean;
}

/**
 * Sends all parts, each until it has nothing more to do. A part that finds no room for new people is sent again after the
 * others, whose people may have left. Returns whether all were added: the team can be full.
 */
export async function sendParts(
  subjects: readonly string[],
  send: (part: SubjectPart) => Promise<Progress>,
): Promise<boolean> {
  let parts = subjectParts(subjects);
  for (let hasChanged = true; hasChanged && parts.length > 0; ) {
    hasChanged = false;
    const again: SubjectPart[] = [];
    for (const part of parts) {
      const { hasMore, isChange } = await sendRepeatedly(part, send);
      hasChanged ||= isChange;
      if (hasMore) again.push(part);
    }
    parts = again;
  }
  return parts.length === 0;
}

async function sendRepeatedly(part: SubjectPart, send: (part: SubjectPart) => Promise<Progress>) {
  for (let isChange = false; ; isChange = true) {
    const { added, left, hasMore } = await send(part);
    if (!hasMore || added + left === 0) return { hasMore, isChange: isChange || added + left > 0 };
  }
}
