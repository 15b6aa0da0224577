/** Compares the members of a team with the people who have access now, as `latchkey members import` does. */
import { personOf } from '../../domain/access/person.ts';
import { sendParts, tooManyMembers } from '../../domain/access/subject-parts.ts';
import { limits } from '../../domain/limits.ts';
import { ApiError } from '../api/api-error.ts';
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
  return [...new Set(lines.filter((line) => line !== '').map(personOf))];
}

/** Throws ApiError about a line that the service would reject, perhaps after it has imported others. */
function checkLines(text: string): void {
  const isWrong = (line: string) => line.length > limits.responsibleCharacters || /\p{Cc}/u.test(line);
  const wrong = text.split('\n').findIndex((line) => isWrong(line.trim()));
  if (wrong === -1) return;
  const rule = `must have at most ${limits.responsibleCharacters} characters, and no control characters`;
  throw new ApiError('BAD_USER_INPUT', `Line ${wrong + 1} ${rule}.`, null);
}

/** Reads who would be added, and who would have left. Throws ApiError. */
export async function planImport(teamId: string, text: string): Promise<ImportPlan> {
  checkLines(text);
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

export interface Imported {
  readonly added: number;
  readonly left: number;
}

export const nobody: Imported = { added: 0, left: 0 };

/**
 * Repeats the call, which records a limited number of people who left. Throws ApiError; a second try goes on.
 * @param before what an earlier try has done
 * @param onProgress called with what is done in total, also if a later call fails
 */
export async function importMembers(
  { teamId, subjects }: ImportPlan,
  before: Imported,
  onProgress: (total: Imported) => void,
): Promise<Imported> {
  let total = before;
  const isComplete = await sendParts(subjects, async (part) => {
    const variables = { input: { teamId, ...part } };
    const imported = (await retryWhenLimited(() => execute(ImportMembersDocument, variables))).importMembers;
    total = { added: total.added + imported.added, left: total.left + imported.left };
    onProgress(total);
    return imported;
  });
  if (!isComplete) throw new ApiError('BAD_USER_INPUT', `The others are not added: ${tooManyMembers}.`, null);
  return total;
}
