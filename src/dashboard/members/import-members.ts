/** Compares the members of a team with the people who have access now, as `latchkey members import` does. */
import { subjectParts } from '../../domain/access/subject-parts.ts';
import { execute } from '../api/execute.ts';
import { readPages } from '../api/read-pages.ts';
import { ImportMembersDocument, MembersDocument } from '../generated/graphql.ts';
import { retryWhenLimited } from '../keys/changes/change-keys.ts';

const pageSize = 200;

export interface ImportPlan {
  readonly teamId: string;
  readonly subjects: readonly string[];
  /** Who is not known yet, or had left. */
  readonly added: readonly string[];
  /** Who is missing in the list. */
  readonly leaving: readonly string[];
}

/** Returns each subject once. One in each line, because a subject can contain a comma, such as a name of a directory. */
export function subjectsIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Reads who would be added, and who would have left. Throws ApiError. */
export async function planImport(teamId: string, text: string): Promise<ImportPlan> {
  const subjects = subjectsIn(text);
  const members = await readPages(async (after) => {
    const variables = { teamId, state: ['ACTIVE' as const, 'INACTIVE' as const], first: pageSize, after };
    return (await retryWhenLimited(() => execute(MembersDocument, variables))).members;
  });
  const known = new Set(members.map(({ subject }) => subject));
  const current = new Set(subjects);
  return {
    teamId,
    subjects,
    added: subjects.filter((subject) => !known.has(subject)),
    leaving: [...known].filter((subject) => !current.has(subject)),
  };
}

/** Repeats the call, which records a limited number of people who left. Throws ApiError; a second try goes on. */
export async function importMembers({ teamId, subjects }: ImportPlan) {
  const total = { added: 0, left: 0 };
  for (const part of subjectParts(subjects)) {
    for (let hasMore = true; hasMore; ) {
      const variables = { input: { teamId, ...part } };
      const imported = (await retryWhenLimited(() => execute(ImportMembersDocument, variables))).importMembers;
      total.added += imported.added;
      total.left += imported.left;
      hasMore = imported.hasMore;
    }
  }
  return total;
}
